/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The name of an application that is none of ours, from nDPI: asked last, about the first packets
 * with payload of flows that neither ports nor our own probes settled. nDPI itself takes 6 MB and
 * 15 ms to start, so it starts with the first such packet.
 */
#ifndef SLOWCOPY_ANALYZER_FLOW_CLASSIFY_NDPI_H
#define SLOWCOPY_ANALYZER_FLOW_CLASSIFY_NDPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/packet.h"

/* Packets with payload that are examined per flow: nDPI settles most flows within three, its own
 * reader program gives up after about ten. */
#define CLASSIFIER_MAX_PACKETS 8
/* Flows under examination at one time, about 1 KiB each; others stay without a name. */
#define CLASSIFIER_MAX_FLOWS 8192

typedef struct Classifier Classifier;

/** ClassifierFlow: what nDPI remembers of one flow while it is not settled. */
typedef struct ClassifierFlow ClassifierFlow;

/** classifier_new: does not start nDPI yet; NULL when memory is refused. Thread: one at a time in a
 * process. */
Classifier *classifier_new(void);

/**
 * classifier_push: examines one TCP or UDP packet with payload, or ignores it when it has none.
 * @flow: the flow's handle, NULL at its first packet; NULL again when the flow is settled.
 * @ret_name: when settled, the name, such as "TLS" or "SMBv23", or NULL when nDPI does not know; a
 * static string.
 * Returns true when the flow is settled: no more packets are wanted.
 */
bool classifier_push(
	Classifier *classifier, ClassifierFlow **flow, const Packet *packet, const char **ret_name);

/**
 * classifier_settle: the name as far as it is known, for a flow that ends before it was settled;
 * frees the handle and sets it to NULL. NULL when nDPI does not know or *@flow is NULL.
 */
const char *classifier_settle(Classifier *classifier, ClassifierFlow **flow);

/** classifier_version: nDPI's version, static. */
const char *classifier_version(void);

/** classifier_count: flows under examination. classifier_refused: flows not examined because of
 * CLASSIFIER_MAX_FLOWS. */
size_t classifier_count(const Classifier *classifier);
uint64_t classifier_refused(const Classifier *classifier);

/** classifier_free: handles that are still open must be settled before; NULL is allowed. */
void classifier_free(Classifier *classifier);

#endif
