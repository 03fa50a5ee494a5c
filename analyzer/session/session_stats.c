/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a session says of itself: counts and times by command, and what was negotiated.
 */
#include "analyzer/session/session_stats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_private.h"

CommandCounter *session_counter(SessionFramed *framed, MessageProtocol protocol, uint16_t command)
{
	for (uint32_t i = framed->counter_count; i > 0; i--) {
		CommandCounter *counter = &framed->counters[i - 1];
		if (counter->command == command && counter->protocol == protocol)
			return counter;
	}
	if (framed->counter_count == SESSION_MAX_COMMANDS) {
		framed->anomalies++;
		return NULL;
	}
	if (framed->counter_count == framed->counter_room) {
		uint32_t room = framed->counter_room > 0 ? framed->counter_room * 2 : 8;
		CommandCounter *rows = realloc(framed->counters, room * sizeof *rows);
		if (!rows)
			return NULL;
		framed->counters = rows;
		framed->counter_room = room;
	}
	CommandCounter *counter = &framed->counters[framed->counter_count++];
	*counter = (CommandCounter){.protocol = protocol, .command = command};
	return counter;
}

void session_counters_clear(SessionFramed *framed)
{
	for (uint32_t i = 0; i < framed->counter_count; i++) {
		histogram_clear(&framed->counters[i].response_time);
		histogram_clear(&framed->counters[i].server_time);
	}
	free(framed->counters);
	free(framed->stats_rows);
	framed->counters = NULL;
	framed->stats_rows = NULL;
	framed->counter_count = framed->counter_room = 0;
}

static TimeStats time_stats(const Histogram *histogram)
{
	return (TimeStats){
		.count = histogram_count(histogram),
		.min_ns = histogram_min(histogram),
		.median_ns = histogram_quantile(histogram, 0.5),
		.p95_ns = histogram_quantile(histogram, 0.95),
		.max_ns = histogram_max(histogram),
		.mean_ns = (int64_t)(histogram_mean(histogram) + 0.5),
	};
}

static int compare_rows(const void *a, const void *b)
{
	const CommandStats *x = a, *y = b;
	if (x->protocol != y->protocol)
		return x->protocol < y->protocol ? -1 : 1;
	return x->command < y->command ? -1 : x->command > y->command;
}

static void fill_commands(SessionFramed *framed, SessionStats *ret)
{
	free(framed->stats_rows);
	framed->stats_rows = NULL;
	if (framed->counter_count == 0)
		return;
	CommandStats *rows = calloc(framed->counter_count, sizeof *rows);
	if (!rows)
		return;
	for (uint32_t i = 0; i < framed->counter_count; i++) {
		const CommandCounter *counter = &framed->counters[i];
		rows[i] = (CommandStats){
			.protocol = counter->protocol,
			.command = counter->command,
			.requests = counter->requests,
			.responses = counter->responses,
			.errors = counter->errors,
			.pending = counter->pending,
			.response_time = time_stats(&counter->response_time),
			.server_time = time_stats(&counter->server_time),
		};
	}
	qsort(rows, framed->counter_count, sizeof *rows, compare_rows);
	framed->stats_rows = rows;
	ret->commands = rows;
	ret->command_count = framed->counter_count;
}

/* MS-SMB2 2.2.3: names of the revisions; NULL for one that is none */
static const char *dialect_name(uint16_t dialect)
{
	switch (dialect) {
	case 0x0202:
		return "2.0.2";
	case 0x0210:
		return "2.1";
	case 0x02ff:
		return "2.???";
	case 0x0300:
		return "3.0";
	case 0x0302:
		return "3.0.2";
	case 0x0311:
		return "3.1.1";
	default:
		return NULL;
	}
}

static void fill_offer(const SmbState *smb, SessionStats *ret)
{
	const size_t room = sizeof ret->offered / sizeof *ret->offered;
	if (!smb->offer_seen)
		return;
	ret->negotiate_seen = true;
	if (smb->offer.offered_smb1)
		ret->offered[ret->offered_count++] = "NT LM 0.12";
	for (size_t i = 0; i < smb->offer.offered_count && ret->offered_count < room; i++) {
		const char *name = dialect_name(smb->offer.offered[i]);
		ret->client_offered_smb2 = true;
		if (name)
			ret->offered[ret->offered_count++] = name;
	}
}

static void fill_choice(const SmbState *smb, SessionStats *ret)
{
	if (!smb->choice_seen)
		return;
	const MessageNegotiation *choice = &smb->choice;
	ret->dialect = smb->saw_smb2         ? dialect_name(choice->dialect)
		       : choice->chose_nt_lm ? "NT LM 0.12"
					     : NULL;
	ret->multi_credit = smb->saw_smb2 && choice->large_mtu;
	ret->signing_required = choice->signing_required || smb->offer.signing_required;
	ret->client_requires_signing = smb->offer.signing_required;
	ret->multichannel = choice->multichannel && smb->offer.multichannel;
	ret->max_read_bytes = choice->max_read;
	ret->max_write_bytes = choice->max_write;
	ret->max_buffer_bytes = smb->saw_smb2 ? choice->max_transact : choice->max_buffer;
	ret->max_requests = choice->max_mpx;
	ret->large_read = choice->large_read;
	ret->large_write = choice->large_write;
	ret->cipher = choice->cipher;
	ret->signing_algorithm = choice->signing_algorithm;
	ret->has_signing_algorithm = choice->has_signing_algorithm;
}

static void fill_smb(const SessionFramed *framed, SessionStats *ret)
{
	const SmbState *smb = &framed->smb;
	fill_offer(smb, ret);
	fill_choice(smb, ret);
	ret->over_netbios = framed->state.over_netbios;
	/* unsigned ones beside are those of a guest or of another tree */
	ret->is_signed = smb->signed_messages * 2 > smb->messages;
	ret->is_encrypted = smb->encrypted > 0;
	ret->binding_seen = smb->saw_binding;
	ret->interfaces = smb->interfaces;
	ret->interfaces_scale = smb->interfaces_scale;
	ret->breaks = smb->breaks;
	ret->is_compressed = smb->compressed > 0;
	ret->credits_min = smb->credits_known ? smb->credits_min : INT32_MIN;
	ret->session_id = smb->session_id;
	ret->files_dropped = framed->files.dropped;
}

bool session_stats(Session *session, SessionStats *ret)
{
	if (session->mode != SESSION_FRAMED)
		return false;
	SessionFramed *framed = session->framed;
	*ret = (SessionStats){
		.protocol = session_protocol_name(session),
		.credits_min = INT32_MIN,
		.anomalies = framed->anomalies,
		.resyncs = framed->resyncs,
		.requests_dropped = framed->requests_dropped,
	};
	fill_commands(framed, ret);
	if (framed->kind == &session_kind_smb) {
		fill_smb(framed, ret);
	} else {
		ret->ftp_ascii = framed->ftp.any_ascii;
		ret->ftp_tls = framed->ftp.is_tls;
		ret->is_encrypted = framed->ftp.is_tls;
	}
	return true;
}
