/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What causes have in common: claiming time, numbers, evidence, words. See cause.h.
 */
#include "analyzer/causes/cause.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "analyzer/constants.h"

const Cause *cause_find(const char *id)
{
	for (const Cause *const *c = cause_table; *c; c++) {
		if (strcmp((*c)->id, id) == 0)
			return *c;
	}
	return NULL;
}

int64_t cause_claim_part(
	const CauseContext *context, FindingDraft *draft, Bucket bucket, int64_t ns)
{
	int64_t left = context->left_ns[bucket] - draft->claim_ns[bucket];
	if (ns > left)
		ns = left;
	if (ns <= 0)
		return 0;
	draft->claim_ns[bucket] += ns;
	draft->lost_ns += ns;
	return ns;
}

int64_t cause_claim(const CauseContext *context, FindingDraft *draft, Bucket bucket)
{
	return cause_claim_part(context, draft, bucket, context->left_ns[bucket]);
}

static int64_t claim_classes(
	const int64_t left[OP_CLASS_COUNT], int64_t claim[OP_CLASS_COUNT], unsigned mask)
{
	int64_t sum = 0;
	for (int i = 0; i < OP_CLASS_COUNT; i++) {
		if (!(mask & OP_MASK(i)))
			continue;
		sum += left[i] - claim[i];
		claim[i] = left[i];
	}
	return sum;
}

int64_t cause_claim_round_trips(const CauseContext *context, FindingDraft *draft, unsigned mask)
{
	int64_t ns = claim_classes(context->left_round_trip_ns, draft->claim_round_trip_ns, mask);
	draft->claim_ns[BUCKET_ROUND_TRIP] += ns;
	draft->lost_ns += ns;
	return ns;
}

int64_t cause_claim_server(const CauseContext *context, FindingDraft *draft, unsigned mask)
{
	int64_t ns = claim_classes(context->left_server_ns, draft->claim_server_ns, mask);
	draft->claim_ns[BUCKET_SERVER_PROCESSING] += ns;
	draft->lost_ns += ns;
	return ns;
}

static int64_t claim_class(int64_t left, int64_t *claim, int64_t ns)
{
	int64_t room = left - *claim, take = ns < room ? ns : room;
	if (take <= 0)
		return 0;
	*claim += take;
	return take;
}

int64_t cause_claim_round_trips_part(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, int64_t ns)
{
	int64_t taken = claim_class(
		context->left_round_trip_ns[op_class], &draft->claim_round_trip_ns[op_class], ns);
	draft->claim_ns[BUCKET_ROUND_TRIP] += taken;
	draft->lost_ns += taken;
	return taken;
}

int64_t cause_claim_server_part(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, int64_t ns)
{
	int64_t taken = claim_class(
		context->left_server_ns[op_class], &draft->claim_server_ns[op_class], ns);
	draft->claim_ns[BUCKET_SERVER_PROCESSING] += taken;
	draft->lost_ns += taken;
	return taken;
}

void cause_hides(FindingDraft *draft, Bucket bucket, double ns)
{
	if (ns > (double)draft->hides_ns[bucket])
		draft->hides_ns[bucket] = (int64_t)ns;
}

int64_t cause_min_lost_ns(const CauseContext *context)
{
	int64_t share = (int64_t)(MIN_LOST_SHARE * (double)context->wall_ns);
	return share > MIN_LOST_NS ? share : MIN_LOST_NS;
}

double cause_share(const CauseContext *context, int64_t ns)
{
	return context->wall_ns > 0 ? (double)ns / (double)context->wall_ns : 0;
}

void cause_number(FindingDraft *draft, const char *label, NumberKind kind, double value)
{
	if (draft->number_count < CAUSE_MAX_NUMBERS)
		draft->numbers[draft->number_count++] = (ResultNumber){label, kind, value, NULL};
}

void cause_number_name(FindingDraft *draft, const char *label, const char *name)
{
	if (draft->number_count < CAUSE_MAX_NUMBERS)
		draft->numbers[draft->number_count++] = (ResultNumber){label, NUMBER_NAME, 0, name};
}

void cause_evidence(const CauseContext *context, FindingDraft *draft, uint64_t frame,
	int64_t time_ns, const char *note)
{
	if (frame == 0 || draft->evidence_count == CAUSE_MAX_EVIDENCE)
		return;
	for (uint32_t i = 0; i < draft->evidence_count; i++) {
		if (draft->evidence[i].frame == frame)
			return;
	}
	draft->evidence[draft->evidence_count++] = (ResultEvidence){
		.input = context->unit->input, .frame = frame, .time_ns = time_ns, .note = note};
}

void cause_evidence_elsewhere(const CauseContext *context, FindingDraft *draft, uint64_t frame,
	int64_t time_ns, const char *note)
{
	draft->is_elsewhere |= frame != 0;
	cause_evidence(context, draft, frame, time_ns, note);
}

void cause_evidence_bucket(
	const CauseContext *context, FindingDraft *draft, Bucket bucket, const char *note)
{
	const AccountEvidence *e = account_evidence(&context->unit->account, bucket);
	for (int i = 0; i < ACCOUNT_EVIDENCE && e[i].ns > 0; i++)
		cause_evidence(context, draft, e[i].frame, e[i].end_ns,
			cause_printf(context, "%s %s", cause_time(context, (double)e[i].ns), note));
}

void cause_advice(FindingDraft *draft, const char *text)
{
	for (int i = 0; i < CAUSE_MAX_ADVICE; i++) {
		if (!draft->advice[i]) {
			draft->advice[i] = text;
			return;
		}
	}
}

const char *cause_printf(const CauseContext *context, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	return arena_strdup(context->arena, text);
}

/* Three significant digits at the most, never locale-dependent. */
static const char *quantity(const CauseContext *context, double value, const char *unit)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];
	const char *format = value >= 100 || value == floor(value) ? "%.0f"
			     : value >= 10                         ? "%.1f"
								   : "%.2g";
	if (value < 10 && value >= 1 && value != floor(value))
		format = "%.1f";
	g_ascii_formatd(digits, sizeof(digits), format, value);
	return cause_printf(context, "%s %s", digits, unit);
}

const char *cause_bytes(const CauseContext *context, double bytes)
{
	if (bytes >= 1024.0 * 1024 * 1024)
		return quantity(context, bytes / (1024.0 * 1024 * 1024), "GiB");
	if (bytes >= 1024.0 * 1024)
		return quantity(context, bytes / (1024.0 * 1024), "MiB");
	return bytes >= 1024 ? quantity(context, bytes / 1024, "KiB")
			     : quantity(context, bytes, "bytes");
}

const char *cause_time(const CauseContext *context, double ns)
{
	if (ns >= 1e9)
		return quantity(context, ns / 1e9, "s");
	return ns >= 1e6 ? quantity(context, ns / 1e6, "ms")
			 : quantity(context, round(ns / 1e3), "us");
}

const char *cause_rate(const CauseContext *context, double bytes_per_s)
{
	if (bytes_per_s >= 1e6)
		return quantity(context, bytes_per_s / 1e6, "MB/s");
	return bytes_per_s >= 1e3 ? quantity(context, bytes_per_s / 1e3, "kB/s")
				  : quantity(context, round(bytes_per_s), "B/s");
}

const char *cause_percent(const CauseContext *context, double share)
{
	double percent = share * 100;
	char digits[G_ASCII_DTOSTR_BUF_SIZE];
	g_ascii_formatd(digits, sizeof(digits),
		percent >= 10 || percent == 0 ? "%.0f"
		: percent >= 1                ? "%.1f"
					      : "%.2f",
		percent);
	return cause_printf(context, "%s %%", digits);
}

const char *cause_times(const CauseContext *context, uint64_t count)
{
	if (count == 1)
		return "once";
	return count == 2 ? "twice"
			  : cause_printf(context, "%llu times", (unsigned long long)count);
}

double cause_limited_ns(const CauseContext *context, double others, double bytes_per_s)
{
	if (!trail_fit_is_good(&context->trail))
		return 0;
	double bytes = (double)context->bytes * (context->mss + CAUSE_HEADER_BYTES) / context->mss;
	return (bytes + others) * 1e9 / bytes_per_s;
}

double cause_bdp_bytes(const CauseContext *context)
{
	return context->goodput_limit * (double)context->rtt_ns / 1e9;
}

int64_t cause_slow_start_ns(const CauseContext *context)
{
	double first = (double)INITIAL_WINDOW_SEGMENTS * context->mss;
	double window = cause_bdp_bytes(context);
	/* a transfer smaller than the pipe never needs more than its own size */
	if (window <= 0 || window > (double)context->bytes)
		window = (double)context->bytes;
	if (window <= first)
		return 0;
	return (int64_t)((double)context->rtt_ns * ceil(log2(window / first)));
}

int64_t cause_loss_ns(const CauseContext *context)
{
	int64_t after = context->unit->account.after_loss_ns[context->bulk];
	int64_t left = context->left_ns[BUCKET_CONGESTION_WINDOW];
	return context->left_ns[BUCKET_LOSS_RECOVERY] + context->left_ns[BUCKET_RTO_STALL] +
	       context->left_ns[BUCKET_TAIL_LOSS] + (after < left ? after : left);
}

double cause_loss_rate(const CauseContext *context)
{
	const TcpDirection *d = context->sender;
	if (!d || d->payload_packets == 0)
		return 0;
	uint64_t unneeded = d->spurious > d->spurious_inferred ? d->spurious : d->spurious_inferred;
	unneeded += d->closed_repairs;
	uint64_t lost =
		d->retransmitted_packets > unneeded ? d->retransmitted_packets - unneeded : 0;
	return (double)lost / (double)d->payload_packets;
}
