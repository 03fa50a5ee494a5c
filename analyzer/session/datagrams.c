/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting SMB1 without connections: see datagrams.h.
 */
#include "analyzer/session/datagrams.h"

#include <stdlib.h>
#include <string.h>

#define SMB1_COMMANDS 256

typedef struct KindCounts {
	uint64_t messages, anomalies;
	uint64_t requests[SMB1_COMMANDS], responses[SMB1_COMMANDS], errors[SMB1_COMMANDS];
	CommandStats *rows; /* made for a report */
} KindCounts;

struct Datagrams {
	KindCounts kinds[SMB_DATAGRAM_KIND_COUNT];
};

static void on_message(void *user, const Message *message)
{
	KindCounts *counts = user;
	uint8_t command = (uint8_t)message->command;
	counts->messages++;
	if (message->kind == MESSAGE_REQUEST || message->kind == MESSAGE_NOTICE)
		counts->requests[command]++;
	else
		counts->responses[command]++;
	counts->errors[command] += message->status_class >= STATUS_CLASS_NOT_FOUND;
}

static void on_anomaly(void *user, const char *kind)
{
	(void)kind;
	((KindCounts *)user)->anomalies++;
}

Datagrams *datagrams_new(void)
{
	return calloc(1, sizeof(Datagrams));
}

bool datagrams_push(Datagrams *datagrams, const Packet *packet)
{
	SmbDatagramKind kind;
	Smb1Input in;
	if (!smb_datagram_find(packet, &kind, &in))
		return false;
	/* each message stands alone */
	DissectorState state = {0};
	MessageSink sink = {
		.message = on_message, .user = &datagrams->kinds[kind], .anomaly = on_anomaly};
	smb1_decode(&state, &in, &sink);
	return true;
}

bool datagrams_stats(Datagrams *datagrams, SmbDatagramKind kind, SessionStats *ret)
{
	static const SessionTransport transports[SMB_DATAGRAM_KIND_COUNT] = {
		[SMB_DATAGRAM_UDP] = TRANSPORT_UDP_DATAGRAM,
		[SMB_DATAGRAM_NBF] = TRANSPORT_NBF_DATAGRAM,
		[SMB_DATAGRAM_IPX] = TRANSPORT_IPX,
	};
	KindCounts *counts = &datagrams->kinds[kind];
	if (counts->messages == 0)
		return false;
	free(counts->rows);
	counts->rows = calloc(SMB1_COMMANDS, sizeof(*counts->rows));
	*ret = (SessionStats){.protocol = "smb1",
		.transport = transports[kind],
		.credits_min = INT32_MIN,
		.counts = {.messages = counts->messages,
			.credits_left = INT32_MIN,
			.credits_max = INT32_MIN},
		.anomalies = counts->anomalies,
		.commands = counts->rows};
	for (unsigned i = 0; i < SMB1_COMMANDS && counts->rows; i++) {
		if (counts->requests[i] + counts->responses[i] == 0)
			continue;
		counts->rows[ret->command_count++] = (CommandStats){.protocol = MESSAGE_SMB1,
			.command = (uint16_t)i,
			.requests = counts->requests[i],
			.responses = counts->responses[i],
			.errors = counts->errors[i]};
	}
	return true;
}

void datagrams_free(Datagrams *datagrams)
{
	if (!datagrams)
		return;
	for (int i = 0; i < SMB_DATAGRAM_KIND_COUNT; i++)
		free(datagrams->kinds[i].rows);
	free(datagrams);
}
