/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of SMB: credits, buffers, limits, metadata, flushes, locks, and facts that cost nothing.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

Test(causes_smb, credits_that_do_not_suffice)
{
	/* smb2 max credits = 16: one READ of 1 MiB at a time, the client asks for 8177 more */
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = 30 * CASE_MS;
	cause_case_requests(c, false, 8, MIB, 1, CASE_MS);
	cause_case_round_trip(c, OP_READ, 8 * 30 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb2-credit-starvation"));
	c->unit.read.credit_starved = 8;
	cr_assert_not(cause_case_conclude(c, "smb2-credit-starvation")); /* it asks for no more */
	c->unit.read.credits_asked_more = 8;
	cr_assert(cause_case_conclude(c, "smb2-credit-starvation"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cr_assert(strstr(c->draft.sentence, "only 1 block of 1 MiB"), "%s", c->draft.sentence);
	cr_assert_geq(c->draft.saved_high_ns, 200 * CASE_MS);
	cause_case_free(c);
}

Test(causes_smb, small_buffers_of_smb1)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 128, 16 * KIB, 1, CASE_MS / 5);
	cause_case_round_trip(c, OP_READ, 1280 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb1-small-buffer"));
	c->session = (SessionStats){.protocol = "smb1",
		.negotiate_seen = true,
		.max_buffer_bytes = 16644,
		.max_requests = 50,
		.credits_min = INT32_MIN};
	cr_assert(cause_case_conclude(c, "smb1-small-buffer"));
	cr_assert(strstr(c->draft.sentence, "the server's buffer is 16.3 KiB"), "%s",
		c->draft.sentence);
	/* 60 KiB instead of 16 leave 27 % of the round trips to smb1-chatty */
	cr_assert_eq(c->draft.claim_round_trip_ns[OP_READ] / CASE_MS, 1280 * 44 / 60);
	/* the program itself asks for less than it might */
	c->session.large_read = true;
	cr_assert_not(cause_case_conclude(c, "smb1-small-buffer"));
	cause_case_free(c);
}

Test(causes_smb, requests_that_cannot_exceed_64_KiB)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 64 * KIB, 1, CASE_MS / 5);
	cause_case_round_trip(c, OP_READ, 640 * CASE_MS);
	c->session.max_read_bytes = 64 * KIB;
	cr_assert_not(cause_case_conclude(c, "smb2-no-large-mtu")); /* the server set its limit */
	c->session.multi_credit = false;
	c->session.dialect = "2.0.2";
	cr_assert(cause_case_conclude(c, "smb2-no-large-mtu"));
	cr_assert_not(c->draft.is_note);
	cr_assert(strstr(c->draft.sentence, "dialect 2.0.2"), "%s", c->draft.sentence);
	c->session.dialect = "3.1.1";
	c->session.over_netbios = true;
	cr_assert(cause_case_conclude(c, "smb2-no-large-mtu"));
	cr_assert(strstr(c->draft.sentence, "port 139"), "%s", c->draft.sentence);
	/* the negotiation is not in the capture: nothing is known */
	c->session.negotiate_seen = false;
	cr_assert_not(cause_case_conclude(c, "smb2-no-large-mtu"));
	cause_case_free(c);
	/* many under way hide the limit: a note */
	c = cause_case_new();
	cause_case_requests(c, false, 640, 64 * KIB, 16, CASE_MS / 5);
	cause_case_round_trip(c, OP_READ, 20 * CASE_MS);
	c->session.multi_credit = false;
	c->session.dialect = "2.0.2";
	cr_assert(cause_case_conclude(c, "smb2-no-large-mtu"));
	cr_assert(c->draft.is_note);
	cause_case_free(c);
}

static CauseCase *listing_case(void)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	cause_case_operations(c, OP_DIR, 2, CASE_MS / 5);
	c->unit.list_asked = 2 * 64 * KIB;
	cause_case_round_trip(c, OP_DIR, 20 * CASE_MS);
	static const OpClass classes[] = {OP_OPEN, OP_META, OP_CLOSE};
	for (size_t i = 0; i < 3; i++) {
		cause_case_operations(c, classes[i], 100, CASE_MS / 5);
		cause_case_round_trip(c, classes[i], 1000 * CASE_MS);
	}
	return c;
}

Test(causes_smb, listing_and_asking_about_each_entry)
{
	CauseCase *c = listing_case();
	cr_assert(cause_case_conclude(c, "directory-enumeration"));
	cr_assert(strstr(c->draft.sentence, "one by one: 100 names"), "%s", c->draft.sentence);
	cr_assert_geq(c->draft.lost_ns, 3000 * CASE_MS);
	/* files are moved between the questions: that is a copy of small files */
	c->unit.files = 90;
	cr_assert_not(cause_case_conclude(c, "directory-enumeration"));
	c->unit.files = 0;
	c->unit.lists = 0;
	cr_assert_not(cause_case_conclude(c, "directory-enumeration"));
	cause_case_free(c);
}

Test(causes_smb, names_that_do_not_exist)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	cause_case_operations(c, OP_OPEN, 200, CASE_MS / 5);
	cause_case_round_trip(c, OP_OPEN, 2000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "repeated-failed-opens"));
	c->unit.not_found = 150;
	c->unit.missing[MISSING_DESKTOP_INI] = 100;
	cr_assert(cause_case_conclude(c, "repeated-failed-opens"));
	cr_assert_eq(c->draft.claim_round_trip_ns[OP_OPEN], 1500 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "desktop.ini"), "%s", c->draft.sentence);
	/* one look before each file is made belongs to the copy */
	c->unit.files = 150;
	cr_assert_not(cause_case_conclude(c, "repeated-failed-opens"));
	cause_case_free(c);
}

Test(causes_smb, kinds_of_missing_names)
{
	static const struct {
		const char *name;
		MissingKind kind;
	} cases[] = {{"dir\\desktop.ini", MISSING_DESKTOP_INI}, {"Thumbs.DB", MISSING_THUMBS},
		{"a/._b.txt", MISSING_APPLE_DOUBLE}, {".DS_Store", MISSING_DS_STORE},
		{"AUTORUN.INF", MISSING_AUTORUN}, {"bin\\foo.dll", MISSING_LIBRARY},
		{"dll", MISSING_OTHER}, {"", MISSING_OTHER}, {"x\\", MISSING_OTHER}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CauseCase *c = cause_case_new();
		FileRef file = {.name = cases[i].name, .share = ""};
		Operation op = {.protocol = MESSAGE_SMB2,
			.verb = VERB_OPEN,
			.op_class = OP_OPEN,
			.file = &file,
			.answered = true,
			.status = 0xc0000034,
			.status_class = STATUS_CLASS_NOT_FOUND};
		unit_reply(&c->unit, &op, 0, 0);
		cr_assert_eq(c->unit.missing[cases[i].kind], 1, "%s", cases[i].name);
		cr_assert_eq(c->unit.not_found, 1);
		cr_assert_eq(c->unit.opens, 0);
		cause_case_free(c);
	}
}

static void read_pieces(CauseCase *c, uint64_t pieces, uint64_t bytes)
{
	for (uint64_t i = 0; i < pieces; i++) {
		Operation op = {.protocol = MESSAGE_SMB2,
			.verb = VERB_READ,
			.op_class = OP_READ,
			.offset = i * bytes,
			.asked_bytes = bytes,
			.moved_bytes = bytes,
			.in_flight = 1,
			.credits_available = INT32_MIN,
			.answered = true};
		unit_request(&c->unit, &op);
		unit_reply(&c->unit, &op, 0, 0);
	}
}

Test(causes_smb, the_same_blocks_again_without_an_oplock)
{
	CauseCase *c = cause_case_new();
	for (int pass = 0; pass < 4; pass++)
		read_pieces(c, 32, 16 * KIB);
	cr_assert_eq(c->unit.read.repeated_bytes, 3 * 32 * 16 * KIB);
	cause_case_round_trip(c, OP_READ, 1280 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "no-oplock-rereads")); /* nothing known of oplocks */
	c->unit.opens = c->unit.opens_uncached = 1;
	cr_assert(cause_case_conclude(c, "no-oplock-rereads"));
	cr_assert_eq(c->draft.claim_round_trip_ns[OP_READ], 960 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "the client did not ask"), "%s", c->draft.sentence);
	c->unit.opens_refused = 1;
	cr_assert(cause_case_conclude(c, "no-oplock-rereads"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	/* it may cache and reads again all the same: the program's own choice */
	c->unit.opens_uncached = c->unit.opens_refused = 0;
	cr_assert_not(cause_case_conclude(c, "no-oplock-rereads"));
	cause_case_free(c);
}

Test(causes_smb, reading_once_in_order_repeats_nothing)
{
	CauseCase *c = cause_case_new();
	read_pieces(c, 64, 64 * KIB);
	cr_assert_eq(c->unit.read.repeated_bytes, 0);
	cr_assert_eq(c->unit.read.sequential, 64);
	cause_case_free(c);
}

Test(causes_smb, asking_beyond_the_end_and_answers_out_of_order_repeat_nothing)
{
	CauseCase *c = cause_case_new();
	FileRef file = {.name = "f", .share = "", .size = 30000};
	Operation op = {.protocol = MESSAGE_SMB2,
		.verb = VERB_READ,
		.op_class = OP_READ,
		.asked_bytes = 64 * KIB,
		.moved_bytes = 30000,
		.in_flight = 1,
		.credits_available = INT32_MIN,
		.answered = true,
		.file = &file};
	unit_request(&c->unit, &op);
	unit_reply(&c->unit, &op, 0, 0);
	op.offset = 30000; /* to see that it is the end */
	op.moved_bytes = 0;
	unit_request(&c->unit, &op);
	unit_reply(&c->unit, &op, 0, 0);
	cr_assert_eq(c->unit.read.repeated_bytes, 0);
	file.size = 0;
	Operation first = op, second = op;
	first.offset = MIB;
	second.offset = 2 * MIB;
	unit_request(&c->unit, &first);
	unit_request(&c->unit, &second);
	unit_reply(&c->unit, &second, 0, 0);
	unit_reply(&c->unit, &first, 0, 0);
	cr_assert_eq(c->unit.read.repeated_bytes, 0);
	cause_case_free(c);
}

Test(causes_smb, flushes_and_write_through)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, true, 40, 64 * KIB, 1, CASE_MS / 5);
	cr_assert_not(cause_case_conclude(c, "flush-write-through"));
	/* one at the end is normal */
	cause_case_operations(c, OP_FLUSH, 1, 500 * CASE_MS);
	cause_case_server(c, OP_FLUSH, 500 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "flush-write-through"));
	cause_case_operations(c, OP_FLUSH, 39, 25 * CASE_MS);
	cause_case_server(c, OP_FLUSH, 975 * CASE_MS);
	cr_assert(cause_case_conclude(c, "flush-write-through"));
	cr_assert_eq(c->draft.claim_server_ns[OP_FLUSH], 1475 * CASE_MS);
	cause_case_free(c);

	c = cause_case_new();
	cause_case_requests(c, true, 40, 64 * KIB, 1, 25 * CASE_MS);
	cause_case_server(c, OP_WRITE, 1000 * CASE_MS);
	c->unit.write.write_through = 40;
	cr_assert(cause_case_conclude(c, "flush-write-through"));
	cr_assert(strstr(c->draft.sentence, "40 of 40 writes"), "%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_smb, slow_opens)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	cause_case_operations(c, OP_OPEN, 60, 15 * CASE_MS);
	cause_case_server(c, OP_OPEN, 900 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-metadata"));
	cr_assert(strstr(c->draft.sentence, "to open files, 60 times"), "%s", c->draft.sentence);
	cause_case_free(c);
	/* a third of a millisecond each is what an idle server needs */
	c = cause_case_new();
	c->unit.is_job = true;
	cause_case_operations(c, OP_OPEN, 3000, CASE_MS / 3);
	cause_case_server(c, OP_OPEN, 1000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "server-slow-metadata"));
	cause_case_free(c);
}

Test(causes_smb, opens_that_wait_for_another_client)
{
	CauseCase *c = cause_case_new();
	cause_case_server(c, OP_OPEN, 3000 * CASE_MS);
	c->unit.class_interim[OP_OPEN] = 6;
	c->unit.class_interim_ns[OP_OPEN] = 3000 * CASE_MS;
	cr_assert(cause_case_conclude(c, "oplock-break"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM); /* the break is not in the capture */
	cr_assert_not_null(c->draft.next_test);
	c->facts.has_session = true;
	c->facts.session.breaks = 6;
	cr_assert(cause_case_conclude(c, "oplock-break"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	/* pending for a moment only: how Samba answers large requests */
	c->unit.class_interim_ns[OP_OPEN] = 30 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "oplock-break"));
	cause_case_free(c);
}

Test(causes_smb, a_lock_that_another_holds)
{
	CauseCase *c = cause_case_new();
	cause_case_round_trip(c, OP_LOCK, 150 * CASE_MS);
	cause_case_add(c, BUCKET_CLIENT_THINK, 2900 * CASE_MS);
	c->unit.account.think_ns[OP_LOCK] = 2800 * CASE_MS;
	c->unit.class_count[OP_LOCK] = 31;
	c->unit.class_errors[OP_LOCK] = 4;
	cr_assert_not(cause_case_conclude(c, "byte-range-locks"));
	c->unit.class_errors[OP_LOCK] = 30;
	cr_assert(cause_case_conclude(c, "byte-range-locks"));
	cr_assert_eq(c->draft.lost_ns, 2950 * CASE_MS);
	cause_case_free(c);
}

Test(causes_smb, pending_answers_are_a_fact_when_they_take_time)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 20, MIB, 4, CASE_MS);
	c->unit.class_interim[OP_READ] = 10;
	c->unit.class_interim_ns[OP_READ] = 5 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "status-pending-async"));
	c->unit.class_interim_ns[OP_READ] = 500 * CASE_MS;
	cr_assert(cause_case_conclude(c, "status-pending-async"));
	cr_assert(c->draft.is_note);
	cause_case_free(c);
}

static void read_and_write_back(CauseCase *c, uint64_t pieces, bool also_elsewhere)
{
	for (uint64_t i = 0; i < pieces; i++) {
		Operation op = {.protocol = MESSAGE_SMB2,
			.verb = VERB_READ,
			.op_class = OP_READ,
			.offset = i * MIB,
			.asked_bytes = MIB,
			.moved_bytes = MIB,
			.in_flight = 1,
			.credits_available = INT32_MIN,
			.answered = true};
		unit_request(&c->unit, &op);
		unit_reply(&c->unit, &op, 0, 0);
		op.verb = VERB_WRITE;
		op.op_class = OP_WRITE;
		if (also_elsewhere)
			op.offset += 77;
		unit_request(&c->unit, &op);
		unit_reply(&c->unit, &op, 0, 0);
	}
}

Test(causes_smb, a_copy_inside_one_server)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	read_and_write_back(c, 6, false);
	cause_case_add(c, BUCKET_LINK, 1000 * CASE_MS);
	cr_assert(cause_case_conclude(c, "copy-through-client"));
	cr_assert(c->draft.is_note);
	cause_case_free(c);
	/* two copies at the same time, one each way */
	c = cause_case_new();
	c->unit.is_job = true;
	read_and_write_back(c, 6, true);
	cause_case_add(c, BUCKET_LINK, 1000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "copy-through-client"));
	cause_case_free(c);
}

Test(causes_smb, multichannel_only_where_it_could_help)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, MIB, 8, 0);
	c->session.multichannel = true;
	c->session.interfaces = 1;
	cr_assert_not(cause_case_conclude(c, "multichannel-unused"));
	c->session.interfaces_scale = true;
	cr_assert(cause_case_conclude(c, "multichannel-unused"));
	cr_assert(c->draft.is_note);
	c->session.binding_seen = true;
	cr_assert_not(cause_case_conclude(c, "multichannel-unused"));
	c->session.binding_seen = false;
	cause_case_add(c, BUCKET_CLIENT_THINK, 9000 * CASE_MS); /* the link is not full */
	cr_assert_not(cause_case_conclude(c, "multichannel-unused"));
	cause_case_free(c);
}

Test(causes_smb, signing_and_encryption_are_facts_until_time_grows_with_bytes)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 40, 64 * KIB, 4, CASE_MS / 5);
	cr_assert_not(cause_case_conclude(c, "smb-signing"));
	cr_assert_not(cause_case_conclude(c, "smb-encryption"));
	c->session.is_signed = c->session.signing_required = true;
	cr_assert(cause_case_conclude(c, "smb-signing"));
	cr_assert(c->draft.is_note);
	cr_assert(strstr(c->draft.sentence, "AES-128-CMAC; the server requires it"), "%s",
		c->draft.sentence);
	c->session.is_encrypted = true;
	c->session.cipher = 2;
	cr_assert(cause_case_conclude(c, "smb-encryption"));
	cr_assert(c->draft.is_note);
	cr_assert(strstr(c->draft.sentence, "AES-128-GCM"), "%s", c->draft.sentence);
	cr_assert_not(cause_case_conclude(c, "smb-signing")); /* told once */
	cause_case_free(c);

	/* 2 ms per 64 KiB, whatever the size: a slow processor */
	c = cause_case_new();
	c->session.is_signed = true;
	for (uint64_t i = 1; i <= 8; i++) {
		cause_case_requests(c, false, 8, i * 16 * KIB, 1, (int64_t)i * CASE_MS / 2);
	}
	cause_case_server(c, OP_READ, 144 * CASE_MS);
	cause_case_round_trip(c, OP_READ, 640 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb-signing"));
	cr_assert_not(c->draft.is_note);
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	cr_assert_eq(c->draft.saved_low_ns, 0);
	cr_assert(strstr(c->draft.sentence, "may be"), "%s", c->draft.sentence);
	cause_case_free(c);
}
