/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time series of every copy, one bin a line, for spreadsheets and plotting programs: RFC 4180,
 * a header line, a point in fractions, an empty field for unknown.
 */
#include "reports/report.h"

#include "reports/escape.h"

static void write_count(FILE *out, bool known, uint64_t value)
{
	if (known)
		fprintf(out, ",%llu", (unsigned long long)value);
	else
		fputc(',', out);
}

/** write_level: a value that may be unknown in some bins, or in all. */
static void write_level(FILE *out, const uint64_t *values, size_t i)
{
	bool known = values && values[i] != RESULT_UNKNOWN_COUNT;

	write_count(out, known, known ? values[i] : 0);
}

static void write_series(const ResultTransfer *t, FILE *out)
{
	const ResultSeries *s = &t->series;
	g_autofree char *file = escape_csv(t->file ? t->file : "");

	for (size_t i = 0; i < s->bin_count && !ferror(out); i++) {
		int64_t rtt = s->rtt_ns ? s->rtt_ns[i] : RESULT_UNKNOWN_NS;

		fprintf(out, "%s,%s,%s,%lld,%lld", t->id, t->is_write ? "write" : "read", file,
			(long long)(s->start_ns + (int64_t)i * s->bin_ns), (long long)s->bin_ns);
		write_count(out, s->bytes, s->bytes ? s->bytes[i] : 0);
		write_level(out, s->in_flight, i);
		write_level(out, s->window, i);
		write_count(out, rtt != RESULT_UNKNOWN_NS, (uint64_t)MAX(rtt, 0));
		write_count(out, s->requests_in_flight,
			s->requests_in_flight ? s->requests_in_flight[i] : 0);
		write_count(
			out, s->retransmissions, s->retransmissions ? s->retransmissions[i] : 0);
		fprintf(out, ",%s\r\n",
			s->dominant && s->dominant[i] < BUCKET_COUNT
				? bucket_id((Bucket)s->dominant[i])
				: "");
	}
}

static bool csv_write(const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	(void)options;
	(void)error;
	fputs("copy,direction,file,start_ns,duration_ns,bytes,in_flight_bytes,window_bytes,rtt_ns,"
	      "requests_in_flight,retransmissions,dominant_bucket\r\n",
		out);
	for (size_t i = 0; i < result->job_count; i++)
		write_series(&result->jobs[i], out);
	for (size_t i = 0; i < result->transfer_count; i++)
		write_series(&result->transfers[i], out);
	return true;
}

const ReportFormat format_csv = {
	.name = "csv",
	.suffix = ".csv",
	.summary = "time series of every copy, for spreadsheets",
	.write = csv_write,
};
