/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before the first packet: see approach.h.
 */
#include "analyzer/transfer/approach.h"

#include <string.h>

#include <glib.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/conversation.h"

/* A client goes on to another port when its patience is over: Windows after 21 s, with 12 s since
 * the last try; others after seconds. */
#define FAILED_MAX_AGE_NS (30 * SECOND_NS)
/* One unanswered packet is no failure: clients try two ports at the same time (docs/causes.md,
 * port-445-filtered). */
#define FAILED_MIN_TRIES 2

/** Attempt: a connection that has not been answered yet. */
typedef struct Attempt {
	uint8_t addr[2][16]; /* client, server */
	uint16_t port;       /* of the server */
	uint16_t input;
	int64_t last_ns;
	Approach approach; /* its own */
	int64_t first_ns;
	uint64_t frame;
	uint32_t tries;
	bool is_refused;
	struct Conversation *conv; /* NULL: it has ended */
} Attempt;

struct Approaches {
	GQueue *attempts; /* Attempt, oldest first */
	NameLookup *lookup;
};

Approaches *approaches_new(void)
{
	Approaches *a = g_new0(Approaches, 1);
	a->attempts = g_queue_new();
	a->lookup = name_lookup_new();
	return a;
}

void approaches_lookup(Approaches *approaches, const Packet *packet)
{
	if (approaches->lookup)
		name_lookup_push(approaches->lookup, packet);
}

static void attempt_free(Attempt *attempt)
{
	if (attempt->conv)
		attempt->conv->attempt = NULL;
	g_free(attempt);
}

static bool has_failed(const Attempt *attempt)
{
	return attempt->is_refused || attempt->tries >= FAILED_MIN_TRIES;
}

static bool is_same_pair(const Attempt *attempt, const Conversation *conv)
{
	return attempt->input == conv->input &&
	       memcmp(attempt->addr, conv->addr, sizeof(attempt->addr)) == 0;
}

/* Tries between the same hosts that failed shortly before: the first of them is where the waiting
 * began. */
static void take_failed(
	Approaches *approaches, const Conversation *conv, const Packet *packet, Approach *ret)
{
	for (GList *l = approaches->attempts->head; l;) {
		GList *next = l->next;
		Attempt *a = l->data;
		bool is_recent = packet->ts_ns - a->last_ns <= FAILED_MAX_AGE_NS &&
				 packet->ts_ns >= a->first_ns;
		if (has_failed(a) && is_recent && is_same_pair(a, conv)) {
			if (ret->failed_tries == 0) {
				uint32_t tries = a->approach.failed_tries;
				*ret = a->approach;
				ret->failed_tries = tries;
				if (tries == 0) {
					ret->failed_ns = a->first_ns;
					ret->failed_frame = a->frame;
					ret->failed_port = a->port;
				}
			}
			ret->failed_tries += a->tries;
			ret->failed_refused |= a->is_refused;
			attempt_free(a);
			g_queue_delete_link(approaches->attempts, l);
		}
		l = next;
	}
}

static void take_lookup(
	Approaches *approaches, const Conversation *conv, const Packet *packet, Approach *ret)
{
	NameWait wait;
	if (!approaches->lookup || !name_lookup_find(approaches->lookup, conv->addr[SIDE_CLIENT],
					   conv->addr[SIDE_SERVER], packet->ts_ns, &wait))
		return;
	/* a program connects as soon as it knows where to; later somebody clicked */
	if (packet->ts_ns - wait.answer_ns > JOB_GAP_NS || wait.answer_ns < wait.first_query_ns)
		return;
	ret->first_query_ns = wait.first_query_ns;
	ret->answer_ns = wait.answer_ns;
	ret->query_frame = wait.first_frame;
	ret->answer_frame = wait.answer_frame;
	ret->query_tries = wait.tries;
	ret->query_services = wait.services;
	ret->answered_by = wait.answered_by;
	ret->begin_ns = wait.first_query_ns;
}

void approaches_begin(
	Approaches *approaches, struct Conversation *conv, const Packet *packet, Approach *ret)
{
	*ret = (Approach){.begin_ns = packet->ts_ns};
	take_failed(approaches, conv, packet, ret);
	if (ret->failed_tries == 0)
		take_lookup(approaches, conv, packet, ret);
	if (ret->begin_ns > packet->ts_ns || ret->begin_ns <= 0)
		ret->begin_ns = packet->ts_ns;
	if (g_queue_get_length(approaches->attempts) >= APPROACH_MAX_ATTEMPTS)
		attempt_free(g_queue_pop_head(approaches->attempts));
	Attempt *a = g_new0(Attempt, 1);
	memcpy(a->addr, conv->addr, sizeof(a->addr));
	a->port = conv->port[SIDE_SERVER];
	a->input = conv->input;
	a->first_ns = a->last_ns = packet->ts_ns;
	a->frame = packet->frame;
	a->approach = *ret;
	a->conv = conv;
	conv->attempt = a;
	g_queue_push_tail(approaches->attempts, a);
}

void approaches_step(Approaches *approaches, struct Conversation *conv, const Packet *packet)
{
	Attempt *a = conv->attempt;
	if (!a)
		return;
	a->tries = conv->tcp.syn_tries;
	a->last_ns = packet->ts_ns;
	bool is_refused = conv->tcp.syn_ack_ns == 0 && packet->tcp_flags & TCP_RST;
	a->is_refused |= is_refused;
	if (conv->tcp.syn_ack_ns == 0)
		return;
	g_queue_remove(approaches->attempts, a);
	attempt_free(a);
}

void approaches_end(struct Conversation *conv)
{
	if (conv->attempt)
		((Attempt *)conv->attempt)->conv = NULL;
	conv->attempt = NULL;
}

void approaches_free(Approaches *approaches)
{
	if (!approaches)
		return;
	for (GList *l = approaches->attempts->head; l; l = l->next)
		attempt_free(l->data);
	g_queue_free(approaches->attempts);
	name_lookup_free(approaches->lookup);
	g_free(approaches);
}
