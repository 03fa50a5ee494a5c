/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of jobs: many small files over SMB and FTP.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)

/* smbclient's mget: CREATE, QUERY, READ, CLOSE for each of a hundred files over 10 ms. */
static CauseCase *mget_case(uint64_t files, uint64_t bytes)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->unit.files = files;
	histogram_add(&c->unit.file_size, (int64_t)bytes, files);
	cause_case_requests(c, false, files, bytes, 1, CASE_MS / 5);
	static const OpClass classes[] = {OP_OPEN, OP_META, OP_CLOSE};
	for (size_t i = 0; i < 3; i++) {
		cause_case_operations(c, classes[i], files, CASE_MS / 5);
		cause_case_round_trip(c, classes[i], (int64_t)files * 10 * CASE_MS);
		cause_case_server(c, classes[i], (int64_t)files * CASE_MS / 5);
	}
	cause_case_round_trip(c, OP_READ, (int64_t)files * 10 * CASE_MS);
	return c;
}

Test(causes_jobs, names_without_data)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	static const OpClass classes[] = {OP_OPEN, OP_META, OP_CLOSE};
	for (size_t i = 0; i < 3; i++) {
		cause_case_operations(c, classes[i], 40, CASE_MS / 5);
		cause_case_round_trip(c, classes[i], 400 * CASE_MS);
	}
	c->context.bytes = 0;
	cr_assert(cause_case_conclude(c, "small-files-metadata"));
	cr_assert(strstr(c->draft.sentence, "40 names were worked on"), "%s", c->draft.sentence);
	cr_assert_eq(c->draft.ceiling_bytes_per_s, 0);
	c->unit.class_count[OP_OPEN] = 10;
	cr_assert_not(cause_case_conclude(c, "small-files-metadata"));
	cause_case_free(c);
}

Test(causes_jobs, small_files_one_after_the_other)
{
	CauseCase *c = mget_case(100, 4 * KIB);
	cr_assert(cause_case_conclude(c, "small-files-metadata"));
	const FindingDraft *d = &c->draft;
	cr_assert_eq(d->confidence, CONFIDENCE_HIGH);
	cr_assert(strstr(d->sentence, "100 files of 4 KiB each take 4.0 requests"), "%s",
		d->sentence);
	/* four round trips and the quick server's share */
	cr_assert_geq(d->lost_ns, 4000 * CASE_MS);
	/* compounding keeps three of four, eight threads one eighth */
	cr_assert_eq(d->saved_low_ns, 750 * CASE_MS);
	cr_assert_geq(d->saved_high_ns, 3500 * CASE_MS);
	cr_assert(strstr(d->ceiling_formula, "4 KiB / (4.0 x 10 ms)"), "%s", d->ceiling_formula);
	/* asked afterwards, requests find nothing of their own left */
	cr_assert_eq(d->claim_round_trip_ns[OP_READ], 1000 * CASE_MS);
	cause_case_free(c);
}

Test(causes_jobs, slow_opens_stay_with_the_server)
{
	CauseCase *c = mget_case(60, 4 * KIB);
	c->context.rtt_ns = CASE_MS;
	cause_case_operations(c, OP_OPEN, 60, 20 * CASE_MS);
	cause_case_server(c, OP_OPEN, 1200 * CASE_MS);
	cr_assert(cause_case_conclude(c, "small-files-metadata"));
	cr_assert_eq(c->draft.claim_server_ns[OP_OPEN], 0);
	/* but an archive is opened once */
	cr_assert_geq(c->draft.hides_ns[BUCKET_SERVER_PROCESSING], 1180 * CASE_MS);
	cr_assert_leq(c->draft.saved_high_ns, c->draft.lost_ns);
	cause_case_free(c);
}

Test(causes_jobs, small_files_stay_silent_where_they_must)
{
	/* a single transfer is no job */
	CauseCase *c = mget_case(100, 4 * KIB);
	c->unit.is_job = false;
	cr_assert_not(cause_case_conclude(c, "small-files-metadata"));
	cause_case_free(c);
	/* nineteen files */
	c = mget_case(19, 4 * KIB);
	cr_assert_not(cause_case_conclude(c, "small-files-metadata"));
	cause_case_free(c);
	/* files of a megabyte */
	c = mget_case(100, 1024 * KIB);
	cr_assert_not(cause_case_conclude(c, "small-files-metadata"));
	cause_case_free(c);
	/* the time is elsewhere */
	c = mget_case(100, 4 * KIB);
	cause_case_add(c, BUCKET_CLIENT_THINK, 20000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "small-files-metadata"));
	cr_assert_not_null(cause_case_rules_out(c, "small-files-metadata"));
	cause_case_free(c);
}

static CauseCase *ftp_case(uint64_t files, uint64_t bytes)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = c->unit.is_ftp = true;
	c->unit.protocol = "ftp";
	c->session = (SessionStats){.protocol = "ftp", .credits_min = INT32_MIN};
	c->unit.files = files;
	c->unit.payload[SIDE_SERVER] = files * bytes;
	histogram_add(&c->unit.file_size, (int64_t)bytes, files);
	cause_case_add(c, BUCKET_CONNECTION_SETUP, (int64_t)files * 10 * CASE_MS);
	cause_case_round_trip(c, OP_FTP, (int64_t)files * 40 * CASE_MS);
	cause_case_server(c, OP_FTP, (int64_t)files * CASE_MS / 2);
	return c;
}

Test(causes_jobs, ftp_pays_for_each_file)
{
	CauseCase *c = ftp_case(200, 3000);
	cr_assert(cause_case_conclude(c, "ftp-connection-per-file"));
	const FindingDraft *d = &c->draft;
	cr_assert_eq(d->confidence, CONFIDENCE_HIGH);
	cr_assert(strstr(d->sentence, "5.0 round trips of 10 ms"), "%s", d->sentence);
	/* two of five round trips stay; an archive leaves one file's worth */
	cr_assert_eq(d->saved_low_ns, 6000 * CASE_MS);
	cr_assert_geq(d->saved_high_ns, 10000 * CASE_MS);
	/* nor does it wait for what is named by itself, slow starts for instance */
	cause_case_add(c, BUCKET_SLOW_START, 2000 * CASE_MS);
	cr_assert(cause_case_conclude(c, "ftp-connection-per-file"));
	cr_assert_eq(d->hides_ns[BUCKET_SLOW_START], 1990 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "small-files-metadata"));
	cause_case_free(c);
}

Test(causes_jobs, ftp_stays_silent_where_it_must)
{
	CauseCase *c = ftp_case(9, 3000);
	cr_assert_not(cause_case_conclude(c, "ftp-connection-per-file"));
	cause_case_free(c);
	c = ftp_case(100, 5000000);
	cr_assert_not(cause_case_conclude(c, "ftp-connection-per-file"));
	cause_case_free(c);
	/* the link was the limit */
	c = ftp_case(100, 900000);
	cause_case_add(c, BUCKET_LINK, 30000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "ftp-connection-per-file"));
	cause_case_free(c);
	/* a server that takes half a second per file keeps that time */
	c = ftp_case(20, 3000);
	cause_case_server(c, OP_FTP, 10000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "ftp-connection-per-file"));
	cause_case_free(c);
}
