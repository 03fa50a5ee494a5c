/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only file that knows nDPI. It is handed the bytes of the innermost IP packet and keeps 0.7
 * KiB per flow until it is settled; our own flow keeps a name.
 */
#include "analyzer/flow/classify_ndpi.h"

#include <stdlib.h>
#include <string.h>

#include <ndpi/ndpi_api.h>

struct ClassifierFlow {
	struct ndpi_flow_struct *ndpi;
	unsigned packets;
};

struct Classifier {
	struct ndpi_detection_module_struct *ndpi; /* NULL until first needed */
	bool failed;                               /* nDPI did not start */
	size_t count;
	uint64_t refused;
};

Classifier *classifier_new(void)
{
	return calloc(1, sizeof(Classifier));
}

static bool classifier_start(Classifier *c)
{
	if (c->ndpi || c->failed)
		return !c->failed;
	/* neither host lists nor decryption are of use to a name */
	c->ndpi = ndpi_init_detection_module(ndpi_dont_load_tor_hosts | ndpi_dont_init_libgcrypt);
	c->failed = !c->ndpi;
	if (c->failed)
		return false;
	NDPI_PROTOCOL_BITMASK all;
	NDPI_BITMASK_SET_ALL(all);
	ndpi_set_protocol_detection_bitmask2(c->ndpi, &all);
	ndpi_finalize_initialization(c->ndpi);
	return true;
}

static ClassifierFlow *flow_new(Classifier *c)
{
	if (c->count >= CLASSIFIER_MAX_FLOWS || !classifier_start(c)) {
		c->refused++;
		return NULL;
	}
	ClassifierFlow *flow = calloc(1, sizeof *flow);
	struct ndpi_flow_struct *ndpi = ndpi_flow_malloc(SIZEOF_FLOW_STRUCT);
	if (!flow || !ndpi) {
		free(flow);
		ndpi_flow_free(ndpi);
		c->refused++;
		return NULL;
	}
	memset(ndpi, 0, SIZEOF_FLOW_STRUCT);
	flow->ndpi = ndpi;
	c->count++;
	return flow;
}

static void flow_free(Classifier *c, ClassifierFlow **flow)
{
	ndpi_free_flow((*flow)->ndpi);
	free(*flow);
	*flow = NULL;
	c->count--;
}

/* The application if there is one, else what carries it; NULL when unknown. */
static const char *name_of(Classifier *c, ndpi_protocol protocol)
{
	/* copies outlive nDPI; there are no more of them than nDPI has protocols */
	static char *names[NDPI_MAX_SUPPORTED_PROTOCOLS];
	u_int16_t id = protocol.app_protocol != NDPI_PROTOCOL_UNKNOWN ? protocol.app_protocol
								      : protocol.master_protocol;
	if (id == NDPI_PROTOCOL_UNKNOWN || id >= NDPI_MAX_SUPPORTED_PROTOCOLS)
		return NULL;
	if (!names[id])
		names[id] = strdup(ndpi_get_proto_name(c->ndpi, id));
	return names[id];
}

const char *classifier_settle(Classifier *classifier, ClassifierFlow **flow)
{
	if (!*flow)
		return NULL;
	u_int8_t was_guessed = 0;
	const char *name = name_of(classifier,
		ndpi_detection_giveup(classifier->ndpi, (*flow)->ndpi, 1, &was_guessed));
	flow_free(classifier, flow);
	return name;
}

bool classifier_push(
	Classifier *classifier, ClassifierFlow **flow, const Packet *packet, const char **ret_name)
{
	if (packet->payload_caplen == 0 || !packet->ip)
		return false;
	if (!*flow && !(*flow = flow_new(classifier))) {
		*ret_name = NULL;
		return true;
	}
	/* its length is 16 bits: an offloaded frame of 64 KiB would wrap; the first bytes suffice
	 */
	unsigned short len =
		packet->ip_caplen > UINT16_MAX ? UINT16_MAX : (unsigned short)packet->ip_caplen;
	ndpi_protocol protocol = ndpi_detection_process_packet(classifier->ndpi, (*flow)->ndpi,
		packet->ip, len, (u_int64_t)(packet->ts_ns / 1000000));
	(*flow)->packets++;
	if (protocol.app_protocol != NDPI_PROTOCOL_UNKNOWN) {
		*ret_name = name_of(classifier, protocol);
		flow_free(classifier, flow);
		return true;
	}
	if ((*flow)->packets < CLASSIFIER_MAX_PACKETS)
		return false;
	*ret_name = classifier_settle(classifier, flow);
	return true;
}

const char *classifier_version(void)
{
	return ndpi_revision();
}

size_t classifier_count(const Classifier *classifier)
{
	return classifier->count;
}

uint64_t classifier_refused(const Classifier *classifier)
{
	return classifier->refused;
}

void classifier_free(Classifier *classifier)
{
	if (!classifier)
		return;
	if (classifier->ndpi)
		ndpi_exit_detection_module(classifier->ndpi);
	free(classifier);
}
