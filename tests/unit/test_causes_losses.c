/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of loss: exactly one of them speaks, and none in a healthy transfer.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/constants.h"
#include "analyzer/tcp/loss_log.h"
#include "tests/tools/cause_case.h"

#define MIB (UINT64_C(1024) * 1024)

static const char *const loss_causes[] = {"offload-defect", "policing", "pmtud-black-hole",
	"spurious-retransmission", "reordering", "tail-loss", "rto-stall", "loss-congestive",
	"loss-random"};

static void add_after_loss(CauseCase *c, Bucket bucket, int64_t ns)
{
	Account *a = &c->unit.account;
	int64_t from = a->end_ns;
	a->end_ns += ns;
	account_add(a, from, a->end_ns, bucket, OP_OTHER, c->context.bulk, 40, 0, true);
}

/* 4 MiB from the server, 1.2 % lost one by one, 10 ms. */
static CauseCase *scattered(void)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 4, MIB, 4, 0);
	cause_case_add(c, BUCKET_LOSS_RECOVERY, 400 * CASE_MS);
	add_after_loss(c, BUCKET_CONGESTION_WINDOW, 1700 * CASE_MS);
	d->mss = 1448;
	d->payload_packets = 2945;
	d->retransmitted_packets = 35;
	d->retransmitted_bytes = 35 * 1448;
	d->loss_events = 30;
	return c;
}

/* Which of the causes of loss speaks; asserts that it is at most one. */
static const char *speaker(CauseCase *c)
{
	const char *who = "";
	for (unsigned i = 0; i < sizeof(loss_causes) / sizeof(*loss_causes); i++) {
		if (!cause_case_conclude(c, loss_causes[i]) || c->draft.is_note)
			continue;
		cr_assert_str_eq(who, "", "%s and %s both speak", who, loss_causes[i]);
		who = loss_causes[i];
	}
	return who;
}

Test(causes_losses, scattered_loss)
{
	CauseCase *c = scattered();
	cr_assert_str_eq(speaker(c), "loss-random");
	cr_assert(cause_case_conclude(c, "loss-random"));
	const FindingDraft *d = &c->draft;
	cr_assert_eq(d->confidence, CONFIDENCE_HIGH); /* Mathis says 1.6 MB/s, measured 1.7 */
	cr_assert_str_eq(d->blame, "NETWORK");
	cr_assert_geq(d->saved_high_ns, 2100 * CASE_MS);
	cr_assert_geq(d->saved_low_ns, 2050 * CASE_MS);
	cr_assert(strstr(d->sentence, "1.2 % of the packets from the server 10.0.0.9"), "%s",
		d->sentence);
	cr_assert(strstr(d->sentence, "between the capture point and the client 10.0.0.2"), "%s",
		d->sentence);
	/* frames that a card has joined hold many packets: the share of lost ones stays */
	c->facts.tcp.dir[SIDE_SERVER].payload_packets = 200;
	c->facts.tcp.dir[SIDE_SERVER].payload_bytes = UINT64_C(2945) * 1448;
	cr_assert(cause_case_conclude(c, "loss-random"));
	cr_assert(strstr(d->sentence, "1.2 % of the packets"), "%s", d->sentence);
	cr_assert(strstr(d->sentence, "(35 of 2945)"), "%s", d->sentence);
	c->facts.tcp.dir[SIDE_SERVER].payload_packets = 2945;
	/* holes that were filled late: lost before the capture point */
	c->facts.tcp.dir[SIDE_SERVER].upstream_losses = 35;
	cr_assert(cause_case_conclude(c, "loss-random"));
	cr_assert(strstr(d->sentence, "between the server 10.0.0.9 and the capture point"), "%s",
		d->sentence);
	cause_case_free(c);
}

Test(causes_losses, near_misses_stay_silent)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	/* four packets are no rate */
	d->retransmitted_packets = 4;
	cr_assert_str_eq(speaker(c), "");
	/* what came again over a closed window was not lost (docs/causes.md, zero-window) */
	d->retransmitted_packets = d->closed_repairs = 35;
	cr_assert_str_eq(speaker(c), "");
	cause_case_free(c);
	/* N4: the end of slow start overruns the queue once */
	c = cause_case_new();
	d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 12, MIB, 4, 0);
	add_after_loss(c, BUCKET_CONGESTION_WINDOW, 110 * CASE_MS);
	d->payload_packets = 9000;
	d->retransmitted_packets = 12;
	d->loss_events = d->loss_events_inflated = 1;
	cr_assert_str_eq(speaker(c), "");
	cr_assert_str_eq(cause_case_rules_out(c, "loss-random") ? "" : "silent", "silent");
	cause_case_free(c);
}

Test(causes_losses, rules_out_with_a_number)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 4, MIB, 4, 0);
	c->facts.tcp.dir[SIDE_SERVER].payload_packets = 2900;
	cr_assert_str_eq(cause_case_rules_out(c, "loss-random"), "loss 0.00 %");
	c->facts.tcp.dir[SIDE_SERVER].retransmitted_packets = 29;
	/* lost before or after this copy */
	cr_assert_not(cause_case_conclude(c, "fast-retransmit"));
	cause_case_add(c, BUCKET_LOSS_RECOVERY, 20 * CASE_MS);
	cr_assert_str_eq(cause_case_rules_out(c, "loss-random"), "loss 1.0 %, repaired in 20 ms");
	/* and the note that says the same */
	cr_assert(cause_case_conclude(c, "fast-retransmit"));
	cr_assert(c->draft.is_note);
	/* no note any more */
	cause_case_add(c, BUCKET_LOSS_RECOVERY, 4000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "fast-retransmit"));
	cause_case_free(c);
}

Test(causes_losses, congestion_when_the_queue_was_filling)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	d->loss_events_inflated = 15;
	cr_assert_str_eq(speaker(c), "loss-congestive");
	d->loss_events_inflated = 14;
	cr_assert_str_eq(speaker(c), "loss-random");
	/* three at a time */
	d->loss_events = 11;
	d->loss_events_inflated = 0;
	cr_assert_str_eq(speaker(c), "loss-congestive");
	cr_assert(cause_case_conclude(c, "loss-congestive"));
	cr_assert_not_null(c->draft.doubt);
	d->loss_events = 12;
	cr_assert_str_eq(speaker(c), "loss-random");
	cause_case_free(c);
}

Test(causes_losses, a_full_link_is_shared_by_losses)
{
	CauseCase *c = scattered();
	c->facts.tcp.dir[SIDE_SERVER].loss_events_inflated = 15;
	cr_assert_str_eq(speaker(c), "loss-congestive");
	int64_t rest = c->context.wall_ns - c->context.link_ns;
	cause_case_add(c, BUCKET_OTHER_TRAFFIC, 20 * rest);
	cr_assert_str_eq(speaker(c), "");
	cause_case_free(c);
}

Test(causes_losses, many_lost_before_a_timer_are_no_tail)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_add(c, BUCKET_RTO_STALL, 2500 * CASE_MS);
	d->timeouts = d->loss_events = 1;
	d->tail_timeouts = 1;
	d->retransmitted_packets = UNSEEN_TAIL_PACKETS;
	cr_assert_str_eq(speaker(c), "tail-loss");
	d->retransmitted_packets = UNSEEN_TAIL_PACKETS + 1;
	cr_assert_str_eq(speaker(c), "rto-stall");
	cause_case_free(c);
}

Test(causes_losses, timers_after_outages_and_after_tails)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_add(c, BUCKET_RTO_STALL, 2500 * CASE_MS);
	d->timeouts = d->loss_events = 11;
	cr_assert_str_eq(speaker(c), "rto-stall");
	cr_assert(cause_case_conclude(c, "rto-stall"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	d->tail_timeouts = 6;
	cr_assert_str_eq(speaker(c), "tail-loss");
	/* seen only in the packet numbers, at the receiver */
	d->timeouts = d->tail_timeouts = 0;
	d->unseen_stalls = 7;
	d->unseen_tails = 7;
	cr_assert_str_eq(speaker(c), "tail-loss");
	cr_assert(cause_case_conclude(c, "tail-loss"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert_not_null(c->draft.doubt);
	d->unseen_tails = 1;
	cr_assert_str_eq(speaker(c), "rto-stall");
	/* one timer among thirty repairs is not the story, however long it was */
	d->unseen_stalls = 0;
	d->timeouts = 1;
	d->loss_events = 30;
	cr_assert_str_eq(speaker(c), "loss-random");
	cause_case_free(c);
}

Test(causes_losses, thinking_time_is_no_timer)
{
	/* 300 ms of silence without any repair */
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 4, MIB, 4, 0);
	cause_case_add(c, BUCKET_SERVER_PROCESSING, 900 * CASE_MS);
	c->facts.tcp.dir[SIDE_SERVER].payload_packets = 2900;
	cr_assert_str_eq(speaker(c), "");
	cause_case_free(c);
}

Test(causes_losses, a_few_losses_on_a_long_path)
{
	/* one in ten thousand over 100 ms allows 1.8 MB/s; more is not moved */
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	c->context.rtt_ns = 100 * CASE_MS;
	cause_case_requests(c, false, 100, MIB, 4, 0);
	add_after_loss(c, BUCKET_CONGESTION_WINDOW, 50000 * CASE_MS);
	d->mss = 1448;
	d->payload_packets = 72000;
	d->retransmitted_packets = 7;
	d->loss_events = 7;
	cr_assert_str_eq(speaker(c), "loss-random");
	/* over 1 ms the same losses explain nothing */
	c->context.rtt_ns = CASE_MS;
	cr_assert_str_eq(speaker(c), "");
	cause_case_free(c);
}

Test(causes_losses, nothing_was_lost)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	d->spurious = 20;
	cr_assert_str_eq(speaker(c), "spurious-retransmission");
	cr_assert(cause_case_conclude(c, "spurious-retransmission"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cr_assert_null(strstr(c->draft.sentence, "nothing was lost"), "%s", c->draft.sentence);
	d->spurious = 35;
	cr_assert(cause_case_conclude(c, "spurious-retransmission"));
	cr_assert(strstr(c->draft.sentence, "nothing was lost"), "%s", c->draft.sentence);
	/* half is not most: what was needed was lost, and that took its time */
	d->spurious = 18;
	d->retransmitted_packets = 36;
	cr_assert_str_eq(speaker(c), "loss-random");
	d->retransmitted_packets = 35;
	cr_assert_str_eq(speaker(c), "spurious-retransmission");
	d->reordered = 90;
	cr_assert_str_eq(speaker(c), "reordering");
	/* a few D-SACKs among real losses change nothing */
	d->spurious = 2;
	d->reordered = 0;
	cr_assert_str_eq(speaker(c), "loss-random");
	cause_case_free(c);
}

Test(causes_losses, overtaken_behind_the_capture_point)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	d->spurious = 35; /* of 35 repairs in 30 episodes, all for nothing */
	d->duplicate_acks = 90;
	cr_assert_str_eq(speaker(c), "reordering");
	cr_assert(cause_case_conclude(c, "reordering"));
	cr_assert(c->draft.doubt && c->draft.confidence == CONFIDENCE_MEDIUM);
	cr_assert(strstr(c->draft.sentence, "behind the capture point"), "%s", c->draft.sentence);
	/* what sets off a repair is three of them */
	d->duplicate_acks = 89;
	cr_assert_str_eq(speaker(c), "spurious-retransmission");
	d->duplicate_acks = 90;
	/* timers that ran out, and round trips that grew, are of answers that were late */
	d->timeouts = 15;
	cr_assert_str_eq(speaker(c), "spurious-retransmission");
	d->timeouts = 0;
	d->loss_events_inflated = 15;
	cr_assert_str_eq(speaker(c), "spurious-retransmission");
	d->loss_events_inflated = 0;
	/* a few times may be anything */
	d->loss_events = 9;
	cr_assert_str_eq(speaker(c), "spurious-retransmission");
	cause_case_free(c);
}

Test(causes_losses, order_alone_is_a_note)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 8, MIB, 4, 0);
	d->payload_packets = 5526;
	d->reordered = 68;
	d->reordered_late_max_ns = 1500000;
	cr_assert(cause_case_conclude(c, "reordering"));
	cr_assert(c->draft.is_note);
	cr_assert_str_eq(speaker(c), "");
	/* the order of a card's queues is the capture's (docs/causes.md, capture-clock) */
	d->reordered_late_max_ns = 20000;
	cr_assert_not(cause_case_conclude(c, "reordering"));
	cause_case_free(c);
}

Test(causes_losses, large_packets_vanish)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_add(c, BUCKET_RTO_STALL, 6000 * CASE_MS);
	d->timeouts = d->big_timeouts = d->loss_events = 4;
	d->max_timeout_len = 1448;
	d->max_acked_len = 1348;
	cr_assert_str_eq(speaker(c), "pmtud-black-hole");
	/* full-size packets had arrived before: an outage (P19) */
	d->max_acked_len = 1448;
	cr_assert_str_eq(speaker(c), "rto-stall");
	cause_case_free(c);
}

Test(causes_losses, large_packets_vanish_before_the_capture_point)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_add(c, BUCKET_RTO_STALL, 6000 * CASE_MS);
	d->unseen_stalls = d->loss_events = 1;
	d->max_segment = 1348;
	cr_assert_str_eq(speaker(c), "pmtud-black-hole");
	cr_assert(cause_case_conclude(c, "pmtud-black-hole"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert(strstr(c->draft.sentence, "Packets of 1448 bytes"), "%s", c->draft.sentence);
	cr_assert(strstr(c->draft.sentence, "those of 1348 bytes do"), "%s", c->draft.sentence);
	/* full-size segments came through */
	d->max_segment = 1448;
	cr_assert_str_neq(speaker(c), "pmtud-black-hole");
	cause_case_free(c);
}

Test(causes_losses, few_timers_that_took_nearly_all)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	d->timeouts = 6;
	cause_case_add(c, BUCKET_RTO_STALL, 3000 * CASE_MS); /* of 5.1 s */
	cr_assert_str_eq(speaker(c), "loss-random");
	cause_case_add(c, BUCKET_RTO_STALL, 4000 * CASE_MS); /* 7 of 9.1 s */
	cr_assert_str_eq(speaker(c), "rto-stall");
	d->tail_timeouts = 6;
	cr_assert_str_eq(speaker(c), "tail-loss");
	cause_case_free(c);
}

Test(causes_losses, nothing_of_the_data_arrives)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	static ConnectionFacts control;
	cause_case_add(c, BUCKET_RTO_STALL, 6000 * CASE_MS);
	memset(d, 0, sizeof(*d));
	d->mss = 1448;
	d->bare_next = 11 * 1448; /* what the sender's number tells */
	c->facts.tcp.handshake_seen = true;
	control = c->facts;
	control.tcp.dir[0].una = control.tcp.dir[1].una = 200;
	control.tcp.last_ns = c->facts.tcp.established_ns + 1;
	c->connections[1] = &control;
	c->context.connection_count = 2;
	cr_assert_str_eq(speaker(c), "pmtud-black-hole");
	cr_assert(cause_case_conclude(c, "pmtud-black-hole"));
	cr_assert(c->draft.confidence == CONFIDENCE_MEDIUM && c->draft.doubt && c->draft.next_test);
	cr_assert(strstr(c->draft.sentence, "not a packet of it arrived"), "%s", c->draft.sentence);
	/* less than a full packet may be anything */
	d->bare_next = 1448;
	cr_assert_str_eq(speaker(c), "");
	d->bare_next = 11 * 1448;
	/* nothing comes from that host: an outage */
	control.tcp.dir[0].una = 0;
	cr_assert_str_eq(speaker(c), "");
	control.tcp.dir[0].una = 200;
	c->facts.tcp.handshake_seen = false;
	cr_assert_str_eq(speaker(c), "");
	c->facts.tcp.handshake_seen = true;
	cr_assert_str_eq(speaker(c), "pmtud-black-hole");
	cause_case_free(c);
	/* a second of silence is a timer or two */
	c = scattered();
	cause_case_add(c, BUCKET_RTO_STALL, 1000 * CASE_MS);
	d = &c->facts.tcp.dir[SIDE_SERVER];
	memset(d, 0, sizeof(*d));
	d->mss = 1448;
	d->bare_next = 11 * 1448;
	c->facts.tcp.handshake_seen = true;
	c->connections[1] = &control;
	c->context.connection_count = 2;
	cr_assert_str_eq(speaker(c), "");
	cause_case_free(c);
}

Test(causes_losses, without_selective_acknowledgements)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER], *r = &c->facts.tcp.dir[SIDE_CLIENT];
	cause_case_add(c, BUCKET_LOSS_RECOVERY, 800 * CASE_MS);
	d->syn_seen = r->syn_seen = true;
	r->sack_permitted = true;
	d->recoveries_multi = 10;
	cr_assert(cause_case_conclude(c, "sack-disabled"));
	cr_assert_eq(c->draft.lost_ns, (1200 - 300) * CASE_MS); /* a round trip each remains */
	cr_assert_str_eq(c->draft.blame, "SERVER");
	/* single losses do not need it */
	d->recoveries_multi = 0;
	cr_assert_not(cause_case_conclude(c, "sack-disabled"));
	d->recoveries_multi = 10;
	d->sack_permitted = true;
	cr_assert_not(cause_case_conclude(c, "sack-disabled"));
	cause_case_free(c);
}

Test(causes_losses, marks_instead_of_loss)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER], *r = &c->facts.tcp.dir[SIDE_CLIENT];
	cause_case_requests(c, false, 6, MIB, 4, 0);
	cause_case_add(c, BUCKET_CONGESTION_WINDOW, 500 * CASE_MS);
	d->packets = 4000;
	d->ecn_marks = 40;
	r->ece_flags = 30;
	cr_assert(cause_case_conclude(c, "ecn-congestion"));
	cr_assert_not(cause_case_conclude(c, "ecn-broken"));
	d->ecn_marks = 3900;
	cr_assert_not(cause_case_conclude(c, "ecn-congestion"));
	cr_assert(cause_case_conclude(c, "ecn-broken"));
	r->ece_flags = 9;
	d->ecn_marks = 9;
	cr_assert_not(cause_case_conclude(c, "ecn-congestion"));
	cr_assert_not(cause_case_conclude(c, "ecn-broken"));
	cause_case_free(c);
}

/* Bytes sent in time as a token bucket of @rate lets them pass; a loss each time it is empty. */
static void log_of_bucket(LossLog *log, double rate, uint32_t count, uint32_t *seed, double spread)
{
	int64_t t = 1, offset = 0;
	for (uint32_t i = 0; i < count; i++) {
		loss_log_add(log, t, offset);
		*seed = *seed * 1664525u + 1013904223u;
		int64_t step = 20 * CASE_MS + (int64_t)(*seed % (60u * CASE_MS));
		/* a spread of 0: exactly what the bucket got meanwhile */
		*seed = *seed * 1664525u + 1013904223u;
		double factor = 1 + spread * ((double)(*seed % 1000u) / 500.0 - 1);
		t += step;
		offset += (int64_t)(rate * factor * (double)step / 1e9);
	}
}

Test(causes_losses, losses_of_a_rate_limiter_lie_on_a_line)
{
	uint32_t seed = 7;
	LossLog *log = calloc(1, sizeof(*log));
	log_of_bucket(log, 2.5e6, 200, &seed, 0);
	LossLine line = loss_log_line(log, 10 * CASE_MS);
	cr_assert_float_eq(line.bytes_per_s, 2.5e6, 2.5e4);
	cr_assert_float_eq(line.on_line, 1, 1e-9);
	/* near miss: the same losses with what passes between them left to chance */
	memset(log, 0, sizeof(*log));
	log_of_bucket(log, 2.5e6, 200, &seed, 0.9);
	line = loss_log_line(log, 10 * CASE_MS);
	cr_assert_lt(line.on_line, 0.7, "%f", line.on_line);
	/* bounded, and still the same line */
	memset(log, 0, sizeof(*log));
	log_of_bucket(log, 2.5e6, 100000, &seed, 0);
	line = loss_log_line(log, 10 * CASE_MS);
	cr_assert_leq(line.losses, LOSS_LOG_MAX);
	cr_assert_float_eq(line.bytes_per_s, 2.5e6, 2.5e4);
	cr_assert_eq(loss_log_line(NULL, CASE_MS).losses, 0);
	free(log);
}

Test(causes_losses, a_rate_limiter_and_its_near_misses)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	d->loss_line = (LossLine){35, 2.4e6, 0.95, 2000 * CASE_MS};
	cr_assert(cause_case_conclude(c, "policing"));
	/* possible only: a short queue does the same; loss-random holds the time */
	cr_assert(c->draft.is_note && c->draft.confidence == CONFIDENCE_LOW);
	cr_assert_not_null(c->draft.next_test);
	cr_assert(
		strstr(c->draft.sentence, "drops what exceeds 2.4 MB/s"), "%s", c->draft.sentence);
	d->loss_line.on_line = 0.5; /* scattered */
	cr_assert_not(cause_case_conclude(c, "policing"));
	d->loss_line.on_line = 0.95;
	d->loss_events_inflated = d->loss_events; /* a queue was filling */
	cr_assert_not(cause_case_conclude(c, "policing"));
	d->loss_events_inflated = 0;
	d->loss_line.duration_ns = 100 * CASE_MS; /* one burst */
	cr_assert_not(cause_case_conclude(c, "policing"));
	d->loss_line.duration_ns = 2000 * CASE_MS;
	d->loss_line.bytes_per_s = 11.5e6; /* that is the link itself */
	cr_assert_not(cause_case_conclude(c, "policing"));
	d->loss_line.bytes_per_s = 2.4e6;
	cr_assert(cause_case_conclude(c, "policing"));
	/* what passed was seen as well, and no bucket parts it from what was lost */
	c->context.trail = (TrailFit){.losses = 35,
		.events = 30,
		.bytes_per_s = 2.4e6,
		.low = 2.4e6,
		.high = 2.4e6,
		.burst = 3e4,
		.passed_wrong = 0.3,
		.lost_wrong = 0.4,
		.largest = 1514};
	cr_assert_not(cause_case_conclude(c, "policing"));
	cause_case_free(c);
}

Test(causes_losses, a_bucket_that_explains_the_losses_is_the_cause)
{
	CauseCase *c = scattered();
	c->context.trail = (TrailFit){.losses = 35,
		.events = 30,
		.bytes_per_s = 2.4e6,
		.low = 2.4e6,
		.high = 2.5e6,
		.burst = 3e4,
		.passed_wrong = 0.01,
		.lost_wrong = 0.02,
		.largest = 1514};
	cr_assert_str_eq(speaker(c), "policing");
	cr_assert(cause_case_conclude(c, "policing"));
	cr_assert(!c->draft.is_note && c->draft.confidence == CONFIDENCE_HIGH);
	cr_assert(strstr(c->draft.sentence, "beyond 19 Mbit/s"), "%s", c->draft.sentence);
	/* whatever is mended, the limit stays: 4 MiB at 2.5 MB/s */
	int64_t least =
		(int64_t)(4 * (double)MIB * (1448 + CAUSE_HEADER_BYTES) / 1448 / 2.5e6 * 1e9);
	cr_assert_leq(c->draft.saved_high_ns, c->context.wall_ns - least);
	cr_assert_gt(c->draft.lost_ns, c->draft.saved_high_ns);
	/* less sure: fewer times, or more errors */
	c->context.trail.events = 6;
	cr_assert(cause_case_conclude(c, "policing"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert_not_null(c->draft.doubt);
	c->context.trail.events = 30;
	/* a queue of 30 kB holds packets 12 ms: the round trip had grown by it */
	c->context.trail.queued_ns = 11 * CASE_MS;
	cr_assert_str_eq(speaker(c), "loss-random");
	cr_assert(cause_case_conclude(c, "loss-random"));
	cr_assert_leq(c->draft.saved_high_ns, c->context.wall_ns - least);
	c->context.trail.queued_ns = 0;
	c->context.trail.passed_wrong = 0.3;
	cr_assert_str_eq(speaker(c), "loss-random");
	c->context.trail.passed_wrong = 0.01;
	/* the path itself is that slow */
	c->context.capacity = (Capacity){.bytes_per_s = 2.6e6, .is_proven = true};
	cr_assert_str_eq(speaker(c), "loss-random");
	cause_case_free(c);
}

Test(causes_losses, losses_on_a_line_leave_doubt)
{
	CauseCase *c = scattered();
	cr_assert(cause_case_conclude(c, "loss-random"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	c->facts.tcp.dir[SIDE_SERVER].loss_line = (LossLine){35, 2.4e6, 0.95, 2000 * CASE_MS};
	cr_assert(cause_case_conclude(c, "loss-random"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert(strstr(c->draft.doubt, "rate limiter"), "%s", c->draft.doubt);
	cause_case_free(c);
}

Test(causes_losses, a_duplex_mismatch_is_possible_on_short_slow_paths_only)
{
	CauseCase *c = scattered();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cr_assert_not(cause_case_conclude(c, "duplex-mismatch")); /* 10 ms away */
	c->context.rtt_ns = CASE_MS;
	cr_assert(cause_case_conclude(c, "duplex-mismatch"));
	cr_assert(c->draft.is_note && c->draft.confidence == CONFIDENCE_LOW);
	cr_assert_not_null(c->draft.next_test);
	cr_assert(strstr(c->draft.sentence, "at 100 Mbit/s"), "%s", c->draft.sentence);
	c->context.capacity.bytes_per_s = 125e6; /* gigabit negotiates */
	cr_assert_not(cause_case_conclude(c, "duplex-mismatch"));
	c->context.capacity.bytes_per_s = 12.5e6;
	d->retransmitted_packets = 20; /* too few */
	cr_assert_not(cause_case_conclude(c, "duplex-mismatch"));
	d->retransmitted_packets = 35;
	d->loss_events_inflated = 10; /* a queue was filling now and then */
	cr_assert_not(cause_case_conclude(c, "duplex-mismatch"));
	cause_case_free(c);
}

Test(causes_losses, a_few_repairs_are_a_note_and_many_are_none)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 4, MIB, 4, 0);
	d->mss = 1448;
	d->payload_packets = 2945;
	cr_assert_not(cause_case_conclude(c, "fast-retransmit")); /* nothing was lost */
	cause_case_add(c, BUCKET_LOSS_RECOVERY, 10 * CASE_MS);
	d->retransmitted_packets = 3;
	d->loss_events = 2;
	cr_assert(cause_case_conclude(c, "fast-retransmit"));
	cr_assert(c->draft.is_note);
	cause_case_free(c);
	c = scattered(); /* that is why it was slow */
	cr_assert_not(cause_case_conclude(c, "fast-retransmit"));
	cause_case_free(c);
}
