/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes in how a client asks: serial and small requests, SMB1's habits, the SMB1 note.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* The worked example of docs/architecture.md, "Life of a finding" without the window: 64 KiB, one
 * at a time, over 10 ms. */
static CauseCase *serial_case(void)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 64 * KIB, 1, CASE_MS / 5);
	cause_case_round_trip(c, OP_READ, 64 * 10 * CASE_MS);
	cause_case_server(c, OP_READ, 64 * CASE_MS / 5);
	cause_case_add(c, BUCKET_CLIENT_THINK, 5 * CASE_MS);
	return c;
}

Test(causes_requests, serial_reads_are_named_with_their_arithmetic)
{
	CauseCase *c = serial_case();
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	const FindingDraft *d = &c->draft;
	cr_assert_eq(d->confidence, CONFIDENCE_HIGH);
	cr_assert_str_eq(d->blame, "CLIENT");
	cr_assert(strstr(d->sentence, "one 64 KiB block at a time"), "%s", d->sentence);
	cr_assert(strstr(d->sentence, "10 ms"), "%s", d->sentence);
	cr_assert_str_eq(d->fix, "eight blocks in flight");
	/* 64 KiB / (10 + 0.2 + 5.6 ms) */
	cr_assert(d->ceiling_bytes_per_s > 4.0e6 && d->ceiling_bytes_per_s < 4.3e6, "%f",
		d->ceiling_bytes_per_s);
	cr_assert(strstr(d->ceiling_formula, "64 KiB / 15.8 ms = "), "%s", d->ceiling_formula);
	/* with a full queue all but one round trip goes, and the server's 0.2 ms hide behind data
	 */
	cr_assert_eq(d->claim_round_trip_ns[OP_READ], 640 * CASE_MS);
	cr_assert_geq(d->saved_high_ns, 630 * CASE_MS);
	cr_assert_geq(d->saved_low_ns, 500 * CASE_MS);
	cr_assert_geq(d->evidence_count, 6);
	cause_case_free(c);
}

Test(causes_requests, serial_writes_too)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, true, 64, 64 * KIB, 1, CASE_MS / 5);
	cause_case_round_trip(c, OP_WRITE, 640 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert(strstr(c->draft.sentence, "sends one 64 KiB block at a time"), "%s",
		c->draft.sentence);
	cause_case_free(c);
}

Test(causes_requests, serial_stays_silent_where_it_must)
{
	/* eight under way */
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 64 * KIB, 8, CASE_MS / 5);
	cause_case_round_trip(c, OP_READ, 200 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert_str_eq(cause_case_rules_out(c, "smb-serial-requests"), "requests (8 in flight)");
	cause_case_free(c);
	/* random access is no copy */
	c = serial_case();
	c->unit.read.sequential = 10;
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	cause_case_free(c);
	/* the server gives no credit for a second request */
	c = serial_case();
	c->unit.read.credit_starved = c->unit.read.credit_known;
	c->unit.read.credits_asked_more = (int64_t)c->unit.read.answered;
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	cause_case_free(c);
	/* too few requests */
	c = cause_case_new();
	cause_case_requests(c, false, 4, MIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 400 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	cause_case_free(c);
	/* FTP has no requests */
	c = serial_case();
	c->unit.is_ftp = true;
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	cause_case_free(c);
}

Test(causes_requests, a_slow_server_or_client_keeps_its_own_time)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 64 * KIB, 1, 20 * CASE_MS);
	cause_case_round_trip(c, OP_READ, 640 * CASE_MS);
	cause_case_server(c, OP_READ, 1280 * CASE_MS);
	cause_case_add(c, BUCKET_CLIENT_THINK, 900 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert_eq(c->draft.lost_ns, 640 * CASE_MS);
	/* of eight under way a server may work on all; what it took for one stays */
	cr_assert_eq(c->draft.hides_ns[BUCKET_SERVER_PROCESSING], 1120 * CASE_MS);
	cr_assert_eq(c->draft.hides_ns[BUCKET_CLIENT_THINK], 0); /* not before reads */
	c->unit.account.think_ns[OP_READ] = 900 * CASE_MS;
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert_gt(c->draft.hides_ns[BUCKET_CLIENT_THINK], 700 * CASE_MS);
	/* longer than all the rest, pauses are what is left */
	cause_case_add(c, BUCKET_CLIENT_THINK, 90000 * CASE_MS);
	c->unit.account.think_ns[OP_READ] = 90900 * CASE_MS;
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert_lt(c->draft.hides_ns[BUCKET_CLIENT_THINK], 3000 * CASE_MS);
	cause_case_free(c);
}

Test(causes_requests, a_path_with_room_for_more_than_the_queue)
{
	/* four blocks of 64 KiB over 100 ms: 256 KiB where the path holds 1.1 MiB */
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = 100 * CASE_MS;
	cause_case_requests(c, false, 64, 64 * KIB, 4, 0);
	cause_case_round_trip(c, OP_READ, 1240 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert(strstr(c->draft.sentence, "keeps 4 blocks of 64 KiB"), "%s", c->draft.sentence);
	cr_assert_leq(c->draft.confidence, CONFIDENCE_MEDIUM);
	/* unknown capacity: nothing may be said of what the path holds */
	c->context.capacity.is_proven = false;
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	cause_case_free(c);
}

Test(causes_requests, a_receiver_that_cannot_open_its_window_limits_what_depth_saves)
{
	CauseCase *c = serial_case();
	c->context.rtt_ns = 100 * CASE_MS;
	cause_case_round_trip(c, OP_READ, 64 * 90 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	int64_t free_high = c->draft.saved_high_ns;
	c->facts.tcp.dir[SIDE_CLIENT].scale_in_force = 0;
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	/* 64 KiB per round trip with or without a queue: nearly nothing is gained */
	cr_assert_lt(c->draft.saved_high_ns, free_high / 4);
	cause_case_free(c);
}

Test(causes_requests, an_unknown_path_widens_the_range)
{
	CauseCase *c = serial_case();
	c->context.goodput_limit = 0;
	c->context.capacity = (Capacity){0};
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert_lt(c->draft.saved_low_ns, c->draft.saved_high_ns * 6 / 10);
	cause_case_free(c);
}

Test(causes_requests, small_requests_name_who_chose_the_size)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 128, 4 * KIB, 1, CASE_MS / 5);
	cause_case_round_trip(c, OP_READ, 1280 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb-small-requests"));
	cr_assert_str_eq(c->draft.blame, "CLIENT");
	cr_assert(
		strstr(c->draft.sentence, "only 4 KiB per request although up to 8 MiB is allowed"),
		"%s", c->draft.sentence);
	cr_assert_str_eq(c->draft.fix, "blocks of 1 MiB");
	/* 1 MiB instead of 4 KiB: one request is left */
	cr_assert_geq(c->draft.saved_high_ns, 1260 * CASE_MS);
	cr_assert_geq(c->draft.saved_low_ns, 1050 * CASE_MS);
	cause_case_free(c);

	c = serial_case();
	c->session.max_read_bytes = 64 * KIB;
	cr_assert(cause_case_conclude(c, "smb-small-requests"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cr_assert(strstr(c->draft.sentence, "server allows no more than 64 KiB"), "%s",
		c->draft.sentence);
	/* that 64 KiB are the dialect's limit is another cause */
	c->session.multi_credit = false;
	cr_assert_not(cause_case_conclude(c, "smb-small-requests"));
	cause_case_free(c);
}

Test(causes_requests, small_requests_stay_silent_where_they_must)
{
	/* 64 KiB one at a time: what to mend first is the number under way */
	CauseCase *c = serial_case();
	cr_assert_not(cause_case_conclude(c, "smb-small-requests"));
	cause_case_free(c);
	/* 1 MiB is not small */
	c = cause_case_new();
	cause_case_requests(c, false, 16, MIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 160 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb-small-requests"));
	cr_assert_str_eq(
		cause_case_rules_out(c, "smb-small-requests"), "small requests (1 MiB each)");
	cause_case_free(c);
	/* random access: a database or an editor, not a copy */
	c = cause_case_new();
	cause_case_requests(c, false, 128, 4 * KIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 1280 * CASE_MS);
	c->unit.read.sequential = 5;
	cr_assert_not(cause_case_conclude(c, "smb-small-requests"));
	cause_case_free(c);
	/* nothing is known of what is allowed, and 60 KiB may be all */
	c = cause_case_new();
	c->session.max_read_bytes = 0;
	cause_case_requests(c, false, 64, 60 * KIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 640 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb-small-requests"));
	cause_case_free(c);
}

Test(causes_requests, files_moved_whole_have_the_size_they_have)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->unit.files = 20;
	cause_case_requests(c, false, 20, 20 * KIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 200 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb-small-requests"));
	cr_assert_not(cause_case_conclude(c, "smb-serial-requests"));
	/* ten pieces each are a choice */
	c->unit.files = 2;
	cr_assert(cause_case_conclude(c, "smb-small-requests"));
	cause_case_free(c);
}

Test(causes_requests, a_short_snap_length_hides_only_what_was_asked)
{
	CauseCase *c = serial_case();
	c->unit.read.asked = 0;
	histogram_clear(&c->unit.read.size);
	cr_assert(cause_case_conclude(c, "smb-serial-requests"));
	cr_assert(strstr(c->draft.sentence, "one 64 KiB block at a time"), "%s", c->draft.sentence);
	cause_case_free(c);
}

static void make_smb1(CauseCase *c)
{
	c->session = (SessionStats){.protocol = "smb1",
		.dialect = "NT LM 0.12",
		.negotiate_seen = true,
		.large_read = true,
		.large_write = true,
		.max_buffer_bytes = 16644,
		.max_requests = 50,
		.credits_min = INT32_MIN};
}

Test(causes_requests, smb1_is_chatty_only_when_it_waits)
{
	CauseCase *c = serial_case();
	cr_assert_not(cause_case_conclude(c, "smb1-chatty")); /* not SMB1 */
	make_smb1(c);
	cr_assert(cause_case_conclude(c, "smb1-chatty"));
	cr_assert_eq(c->draft.claim_round_trip_ns[OP_READ], 640 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "over SMB1, one block of 64 KiB at a time"), "%s",
		c->draft.sentence);
	cause_case_free(c);
	/* smbclient keeps many under way: SMB1 alone is no proof */
	c = cause_case_new();
	make_smb1(c);
	cause_case_requests(c, false, 64, 63 * KIB, 30, 0);
	cause_case_round_trip(c, OP_READ, 200 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb1-chatty"));
	cause_case_free(c);
}

Test(causes_requests, smb1_is_noted_with_its_reason)
{
	static const struct {
		bool seen, offered;
		const char *words;
	} cases[] = {{true, false, "the client 10.0.0.2 offered nothing newer"},
		{true, true, "the server 10.0.0.9 answered in SMB1"},
		{false, false, "not in the capture"}};
	for (size_t i = 0; i < 3; i++) {
		CauseCase *c = serial_case();
		make_smb1(c);
		c->session.negotiate_seen = cases[i].seen;
		c->session.client_offered_smb2 = cases[i].offered;
		cr_assert(cause_case_conclude(c, "smb1-negotiated"));
		cr_assert(c->draft.is_note);
		cr_assert_eq(c->draft.lost_ns, 0);
		cr_assert(strstr(c->draft.sentence, cases[i].words), "%s", c->draft.sentence);
		cause_case_free(c);
	}
	/* a multi-protocol negotiate that ended in SMB3 is not SMB1 (N11) */
	CauseCase *c = serial_case();
	cr_assert_not(cause_case_conclude(c, "smb1-negotiated"));
	/* a session without a data request, such as a browse over IPC$ */
	make_smb1(c);
	c->unit.read.requests = 0;
	cr_assert_not(cause_case_conclude(c, "smb1-negotiated"));
	cause_case_free(c);
}
