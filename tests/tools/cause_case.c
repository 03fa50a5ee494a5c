/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cause_case.h. Checks fail through abort(), which the test reports.
 */
#include "tests/tools/cause_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_NS INT64_C(1700000000000000000)
#define GOODPUT 11.7e6 /* what 100 Mbit/s Ethernet carries of payload */

CauseCase *cause_case_new(void)
{
	CauseCase *c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	c->unit.account.start_ns = START_NS;
	c->unit.account.end_ns = START_NS;
	c->unit.protocol = "smb2";
	c->unit.facts = &c->facts;
	c->unit.first_frame = 5;
	c->facts.tcp.handshake_seen = true;
	c->facts.tcp.dir[0].scale_known = c->facts.tcp.dir[1].scale_known = true;
	c->facts.tcp.dir[0].scale_in_force = c->facts.tcp.dir[1].scale_in_force = 7;
	c->facts.tcp.syn_tries = c->facts.tcp.syn_ack_tries = 1;
	c->session = (SessionStats){.protocol = "smb2",
		.dialect = "3.1.1",
		.multi_credit = true,
		.negotiate_seen = true,
		.client_offered_smb2 = true,
		.max_read_bytes = 8 << 20,
		.max_write_bytes = 8 << 20,
		.credits_min = 100};
	c->units[0] = &c->unit;
	c->connections[0] = &c->facts;
	c->context = (CauseContext){.unit = &c->unit,
		.facts = &c->facts,
		.session = &c->session,
		.bulk = SIDE_SERVER,
		.client_name = "10.0.0.2",
		.server_name = "10.0.0.9",
		.sender_name = "10.0.0.9",
		.receiver_name = "10.0.0.2",
		.rtt_ns = 10 * CASE_MS,
		.capacity = {.bytes_per_s = 12.5e6, .low = 12e6, .high = 12.5e6, .is_proven = true},
		.goodput_limit = GOODPUT,
		.mss = 1448,
		.vantage = VANTAGE_MIDDLE,
		.confidence_cap = CONFIDENCE_HIGH,
		.units = c->units,
		.unit_count = 1,
		.connections = c->connections,
		.connection_count = 1,
		.arena = arena_new()};
	return c;
}

void cause_case_add(CauseCase *c, Bucket bucket, int64_t ns)
{
	Account *a = &c->unit.account;
	int64_t from = a->end_ns;
	a->end_ns += ns;
	account_add(a, from, a->end_ns, bucket, OP_OTHER, c->context.bulk, 20, 0, false);
}

static void add_class(CauseCase *c, Bucket bucket, OpClass op_class, int64_t ns)
{
	Account *a = &c->unit.account;
	int64_t from = a->end_ns;
	a->end_ns += ns;
	account_add(a, from, a->end_ns, bucket, op_class, SIDE_CLIENT, 30, 0, false);
}

void cause_case_round_trip(CauseCase *c, OpClass op_class, int64_t ns)
{
	add_class(c, BUCKET_ROUND_TRIP, op_class, ns);
}

void cause_case_server(CauseCase *c, OpClass op_class, int64_t ns)
{
	add_class(c, BUCKET_SERVER_PROCESSING, op_class, ns);
}

static void reply(CauseCase *c, Operation *op, int64_t service_ns, uint64_t number)
{
	op->answered = true;
	op->request_first_ns = op->request_last_ns = START_NS + (int64_t)number * 20 * CASE_MS;
	op->request_frame = 100 + number * 10;
	op->reply_first_ns = op->request_last_ns + c->context.rtt_ns + service_ns;
	op->reply_last_ns = op->reply_first_ns + CASE_MS;
	op->reply_frame = op->request_frame + 5;
	unit_request(&c->unit, op);
	unit_reply(&c->unit, op, 0, c->context.rtt_ns);
}

void cause_case_requests(CauseCase *c, bool is_write, uint64_t count, uint64_t bytes,
	uint32_t depth, int64_t service_ns)
{
	for (uint64_t i = 0; i < count; i++) {
		Operation op = {.protocol = MESSAGE_SMB2,
			.verb = is_write ? VERB_WRITE : VERB_READ,
			.op_class = is_write ? OP_WRITE : OP_READ,
			.offset = i * bytes,
			.asked_bytes = bytes,
			.moved_bytes = bytes,
			.in_flight = depth,
			.in_flight_bytes = depth * bytes,
			.credits_available = 100,
			.credit_charge = 1,
			.credits_asked = 1,
			.credits_granted = 1};
		reply(c, &op, service_ns, i);
	}
	if (is_write)
		c->context.bulk = SIDE_CLIENT;
	cause_case_add(c, BUCKET_LINK, (int64_t)((double)(count * bytes) * 1e9 / GOODPUT));
}

void cause_case_operations(CauseCase *c, OpClass op_class, uint64_t count, int64_t service_ns)
{
	for (uint64_t i = 0; i < count; i++) {
		Operation op = {.protocol = MESSAGE_SMB2, .verb = VERB_OTHER, .op_class = op_class};
		reply(c, &op, service_ns, i);
	}
}

static void complete(CauseCase *c)
{
	CauseContext *x = &c->context;
	const Account *a = &c->unit.account;
	x->sender = &c->facts.tcp.dir[x->bulk];
	x->receiver = &c->facts.tcp.dir[x->bulk == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT];
	x->wall_ns = unit_duration_ns(&c->unit);
	x->bytes = unit_bytes(&c->unit);
	x->rate = x->wall_ns > 0 ? (double)x->bytes * 1e9 / (double)x->wall_ns : 0;
	x->link_ns = a->bucket_ns[BUCKET_LINK];
	memcpy(x->left_ns, a->bucket_ns, sizeof(x->left_ns));
	memcpy(x->left_round_trip_ns, a->round_trip_ns, sizeof(x->left_round_trip_ns));
	memcpy(x->left_server_ns, a->server_ns, sizeof(x->left_server_ns));
}

static void demand(bool is_so, const char *cause, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "%s: %s\n", cause, what);
	abort();
}

static void check_draft(const CauseCase *c, const char *cause)
{
	const FindingDraft *d = &c->draft;
	int64_t sum = 0, trips = 0, server = 0;
	for (int i = 0; i < BUCKET_COUNT; i++) {
		sum += d->claim_ns[i];
		demand(d->claim_ns[i] >= 0 && d->claim_ns[i] <= c->context.left_ns[i], cause,
			"claims more of a bucket than is left");
		demand(d->hides_ns[i] >= 0 && d->hides_ns[i] <= c->unit.account.bucket_ns[i], cause,
			"hides more of a bucket than there is");
	}
	for (int i = 0; i < OP_CLASS_COUNT; i++) {
		trips += d->claim_round_trip_ns[i];
		server += d->claim_server_ns[i];
	}
	demand(sum == d->lost_ns, cause, "lost is not the sum of the claims");
	demand(trips == d->claim_ns[BUCKET_ROUND_TRIP], cause, "round trips do not add up");
	demand(server == d->claim_ns[BUCKET_SERVER_PROCESSING], cause,
		"server processing does not add up");
	demand(!d->is_note || d->lost_ns == 0, cause, "a note claims time");
	demand(d->saved_low_ns >= 0 && d->saved_low_ns <= d->saved_high_ns &&
			d->saved_high_ns <= d->lost_ns,
		cause, "the saving is not a range within what was lost");
	demand(d->sentence && d->sentence[0] && d->sentence[strlen(d->sentence) - 1] == '.', cause,
		"no whole sentence");
	demand(!strstr(d->sentence, "  ") && !strstr(d->sentence, "(null)"), cause,
		"the sentence is malformed");
	demand(d->is_note || d->advice[0], cause, "no advice");
}

bool cause_case_conclude(CauseCase *c, const char *cause)
{
	complete(c);
	memset(&c->draft, 0, sizeof(c->draft));
	const Cause *found = cause_find(cause);
	demand(found && found->conclude, cause, "there is no such cause");
	if (!found->conclude(&c->context, &c->draft))
		return false;
	check_draft(c, cause);
	return true;
}

const char *cause_case_rules_out(CauseCase *c, const char *cause)
{
	complete(c);
	const Cause *found = cause_find(cause);
	return found && found->rules_out ? found->rules_out(&c->context) : NULL;
}

void cause_case_free(CauseCase *c)
{
	Unit *u = &c->unit;
	account_clear(&u->account);
	histogram_clear(&u->read.size);
	histogram_clear(&u->read.service_ns);
	histogram_clear(&u->write.size);
	histogram_clear(&u->write.service_ns);
	histogram_clear(&u->file_size);
	series_free(u->series);
	free(u->operations);
	free(u->file);
	free(u->share);
	free(u->recent_reads);
	arena_free(c->context.arena);
	free(c);
}
