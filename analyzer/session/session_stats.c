/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a session says of itself: counts and times by command, and what was negotiated.
 */
#include "analyzer/session/session_stats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_private.h"
#include "dissectors/smb1_negotiate.h"

/* MS-CIFS 2.2.4.52 */
#define SMB1_NEGOTIATE 0x72

CommandCounter *session_counter(SessionFramed *framed, MessageProtocol protocol, uint16_t command)
{
	for (uint32_t i = framed->counter_count; i > 0; i--) {
		CommandCounter *counter = &framed->counters[i - 1];
		if (counter->command == command && counter->protocol == protocol)
			return counter;
	}
	if (framed->counter_count == SESSION_MAX_COMMANDS) {
		activity_anomaly(framed, "too-many-commands");
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

bool session_class_is_error(StatusClass status_class)
{
	switch (status_class) {
	case STATUS_CLASS_NOT_FOUND:
	case STATUS_CLASS_DENIED:
	case STATUS_CLASS_LOCKED:
	case STATUS_CLASS_ERROR:
		return true;
	case STATUS_CLASS_OK:
	case STATUS_CLASS_MORE:
	case STATUS_CLASS_PENDING:
	case STATUS_CLASS_END:
		break;
	}
	return false;
}

/* floor of the logarithm to base 2 of @value, 0 for 0, below @bins */
static unsigned log_bin(uint64_t value, unsigned bins)
{
	unsigned bin = value > 1 ? 63 - (unsigned)__builtin_clzll(value) : 0;
	return bin < bins ? bin : bins - 1;
}

static SizeCounter *sizes_of(SessionFramed *framed, const Operation *op)
{
	if ((op->verb != VERB_READ && op->verb != VERB_WRITE) || (op->file && op->file->is_pipe))
		return NULL;
	return &framed->sizes[op->verb == VERB_WRITE];
}

void session_count_request(SessionFramed *framed, const Operation *op)
{
	SizeCounter *sizes = sizes_of(framed, op);
	if (!sizes)
		return;
	if (framed->first_data_ns == 0)
		framed->first_data_ns = op->request_first_ns;
	if (op->protocol == MESSAGE_FTP || op->asked_bytes == 0)
		return;
	sizes->count++;
	sizes->bins[log_bin(op->asked_bytes, SESSION_SIZE_BINS)]++;
	histogram_add(&sizes->bytes, (int64_t)op->asked_bytes, op->asked_bytes);
	if (op->credits_available == INT32_MIN)
		return;
	sizes->credits_known++;
	/* causes.md 3.38: not enough is left for another one like it */
	int32_t charge = op->credit_charge > 0 ? op->credit_charge : 1;
	sizes->credits_short += op->credits_available <= charge;
}

bool session_is_referral(uint32_t control)
{
	/* MS-FSCC 2.3: FSCTL_DFS_GET_REFERRALS and its extended form */
	return control == 0x00060194 || control == 0x000601B0;
}

static PhaseKind phase_of(const Operation *op)
{
	if (op->protocol == MESSAGE_NETBIOS)
		return PHASE_NETBIOS;
	if (op->verb == VERB_NEGOTIATE)
		return PHASE_NEGOTIATE;
	if (op->verb == VERB_LOGIN)
		return PHASE_LOGIN;
	if (op->verb == VERB_CONNECT)
		return PHASE_CONNECT;
	if (op->verb == VERB_OPEN)
		return PHASE_OPEN;
	if (op->verb == VERB_PREPARE)
		return PHASE_PREPARE;
	if (op->verb == VERB_IOCTL && session_is_referral(op->info_class))
		return PHASE_REFERRAL;
	return PHASE_OTHER;
}

static void phase_note(SessionPhase *phase, int64_t start_ns, int64_t end_ns, int64_t busy_ns)
{
	if (phase->exchanges == 0)
		phase->start_ns = start_ns;
	if (end_ns > phase->end_ns)
		phase->end_ns = end_ns;
	if (busy_ns > 0)
		phase->busy_ns += busy_ns;
	phase->exchanges++;
}

void session_count_greeting(SessionFramed *framed, int64_t now_ns)
{
	if (framed->first_data_ns == 0)
		phase_note(&framed->phases[PHASE_GREETING], 0, now_ns, 0);
}

static void count_times(CommandCounter *counter, int64_t response_ns, int64_t server_ns)
{
	uint64_t us = response_ns > 0 ? (uint64_t)response_ns / 1000 : 0;
	histogram_add(&counter->response_time, response_ns, 1);
	if (server_ns >= 0)
		histogram_add(&counter->server_time, server_ns, 1);
	counter->response_bins[log_bin(us, SESSION_TIME_BINS)]++;
}

void session_count_answer(SessionFramed *framed, const Operation *op, int64_t server_ns)
{
	int64_t response_ns = op->reply_last_ns - op->request_last_ns;
	CommandCounter *counter = session_counter(framed, op->protocol, op->command);
	if (counter) {
		counter->responses++;
		if (session_class_is_error(op->status_class))
			counter->errors++;
		/* which answer belongs to which request is a guess then */
		if (!op->is_inferred)
			count_times(counter, response_ns, server_ns);
	}
	if (framed->first_data_ns == 0)
		phase_note(&framed->phases[phase_of(op)], op->request_first_ns, op->reply_last_ns,
			response_ns);
}

void session_counters_clear(SessionFramed *framed)
{
	histogram_clear(&framed->sizes[0].bytes);
	histogram_clear(&framed->sizes[1].bytes);
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

size_t session_counters_bytes(const SessionFramed *framed)
{
	size_t bytes = framed->counter_room * sizeof *framed->counters;
	for (uint32_t i = 0; i < framed->counter_count; i++)
		bytes += histogram_bytes(&framed->counters[i].response_time) +
			 histogram_bytes(&framed->counters[i].server_time);
	return bytes + histogram_bytes(&framed->sizes[0].bytes) +
	       histogram_bytes(&framed->sizes[1].bytes);
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

/* An SMB1 negotiate that offers SMB2 and is answered so is no command of an SMB1 session: there is
 * none. */
static bool is_of_session(const SessionFramed *framed, const CommandCounter *counter)
{
	bool is_smb2 = framed->kind == &session_kind_smb && framed->smb.saw_smb2;
	return !is_smb2 || counter->protocol != MESSAGE_SMB1 || counter->command != SMB1_NEGOTIATE;
}

static void fill_commands(SessionFramed *framed, SessionStats *ret)
{
	uint32_t count = 0;
	free(framed->stats_rows);
	framed->stats_rows = NULL;
	if (framed->counter_count == 0)
		return;
	CommandStats *rows = calloc(framed->counter_count, sizeof *rows);
	if (!rows)
		return;
	for (uint32_t i = 0; i < framed->counter_count; i++) {
		const CommandCounter *counter = &framed->counters[i];
		if (!is_of_session(framed, counter)) {
			ret->upgrades = counter->requests;
			continue;
		}
		rows[count] = (CommandStats){
			.protocol = counter->protocol,
			.command = counter->command,
			.requests = counter->requests,
			.responses = counter->responses,
			.errors = counter->errors,
			.pending = counter->pending,
			.response_time = time_stats(&counter->response_time),
			.server_time = time_stats(&counter->server_time),
		};
		memcpy(rows[count].response_bins, counter->response_bins,
			sizeof rows->response_bins);
		count++;
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	framed->stats_rows = rows;
	ret->commands = rows;
	ret->command_count = count;
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
	for (size_t i = 0; i < smb->offer.smb1_offered_count && ret->offered_count < room; i++) {
		uint8_t dialect = smb->offer.smb1_offered[i];
		if (dialect != SMB1_DIALECT_UNKNOWN && dialect < SMB1_DIALECT_SMB_2_002)
			ret->offered[ret->offered_count++] = smb1_dialect_name(dialect);
	}
	for (size_t i = 0; i < smb->offer.offered_count && ret->offered_count < room; i++) {
		const char *name = dialect_name(smb->offer.offered[i]);
		ret->client_offered_smb2 = true;
		if (name)
			ret->offered[ret->offered_count++] = name;
	}
}

/* The place in the client's list says it; without the list the form of the answer does. */
static const char *smb1_choice(const SmbState *smb)
{
	const MessageNegotiation *offer = &smb->offer;
	uint16_t place = smb->choice.dialect;
	if (place < offer->smb1_offered_count && offer->smb1_offered[place] != SMB1_DIALECT_UNKNOWN)
		return smb1_dialect_name(offer->smb1_offered[place]);
	return smb->choice.chose_nt_lm ? smb1_dialect_name(SMB1_DIALECT_NT_LM) : NULL;
}

static void fill_choice(const SmbState *smb, SessionStats *ret)
{
	if (!smb->choice_seen)
		return;
	const MessageNegotiation *choice = &smb->choice;
	ret->dialect = smb->saw_smb2 ? dialect_name(choice->dialect) : smb1_choice(smb);
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
	ret->transport = ret->over_netbios ? TRANSPORT_NETBIOS : TRANSPORT_DIRECT;
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
	ret->counts.credits_left =
		smb->credits_known && !smb->credits_lost ? smb->credits : INT32_MIN;
	/* MS-SMB2 3.3.5.4: before 3.1.1 there is one cipher, and no context that names it */
	bool is_30 = ret->dialect && smb->saw_smb2 &&
		     (smb->choice.dialect == 0x0300 || smb->choice.dialect == 0x0302);
	if (is_30 && smb->choice.encryption)
		ret->cipher = 1;
	ret->files_dropped = framed->files.dropped;
}

/* Requests that fill what is allowed to this share were limited by it: a client rounds down to
 * blocks or leaves room for a header. */
#define FILLS_LIMIT 0.9

/* MS-SMB2 3.3.5.4: without large requests, and over the NetBIOS session service always */
#define SMB2_SMALL_MAX 65536

static SizeLimit small_limit(const SessionFramed *framed)
{
	const SmbState *smb = &framed->smb;
	if (framed->state.over_netbios)
		return SIZE_LIMIT_NETBIOS;
	/* what it took was the offer; it allows little all the same */
	if (smb->choice.large_mtu)
		return SIZE_LIMIT_SERVER;
	if (!smb->offer_seen)
		return SIZE_LIMIT_UNKNOWN;
	bool offers_large = smb->offer.large_mtu;
	for (size_t i = 0; i < smb->offer.offered_count; i++)
		offers_large |= smb->offer.offered[i] > 0x0202;
	return offers_large ? SIZE_LIMIT_SERVER_REFUSED : SIZE_LIMIT_CLIENT_OFFER;
}

static SizeLimit size_limit(
	const SessionFramed *framed, const SizeCounter *sizes, uint64_t median, uint32_t max)
{
	const SmbState *smb = &framed->smb;
	if (framed->kind != &session_kind_smb || sizes->count == 0 || !smb->choice_seen)
		return SIZE_LIMIT_UNKNOWN;
	if (!smb->saw_smb2) {
		/* 64 KiB less the header is the most any SMB1 client asks of Windows */
		if (median >= FILLS_LIMIT * 60 * 1024)
			return SIZE_LIMIT_DIALECT;
		bool is_large = sizes == &framed->sizes[1] ? smb->choice.large_write
							   : smb->choice.large_read;
		bool fills = median >= FILLS_LIMIT * smb->choice.max_buffer / 2;
		return !is_large && fills ? SIZE_LIMIT_SERVER : SIZE_LIMIT_PROGRAM;
	}
	if (sizes->credits_known > 0 && sizes->credits_short * 2 >= sizes->credits_known)
		return SIZE_LIMIT_CREDITS;
	bool is_small = max <= SMB2_SMALL_MAX || !smb->choice.large_mtu;
	if (is_small && median >= FILLS_LIMIT * SMB2_SMALL_MAX)
		return small_limit(framed);
	return max > 0 && median >= FILLS_LIMIT * max ? SIZE_LIMIT_SERVER : SIZE_LIMIT_PROGRAM;
}

static void fill_size(const SessionFramed *framed, bool is_write, uint32_t max, SizeStats *ret)
{
	const SizeCounter *sizes = &framed->sizes[is_write];
	ret->count = sizes->count;
	ret->min = (uint64_t)histogram_min(&sizes->bytes);
	ret->median = (uint64_t)histogram_quantile(&sizes->bytes, 0.5);
	ret->max = (uint64_t)histogram_max(&sizes->bytes);
	memcpy(ret->bins, sizes->bins, sizeof ret->bins);
	ret->limit = size_limit(framed, sizes, ret->median, max);
}

const char *session_transport_id(SessionTransport transport)
{
	static const char *const ids[] = {
		"direct", "netbios", "nbf", "udp-datagram", "nbf-datagram", "ipx"};
	return transport < sizeof ids / sizeof *ids ? ids[transport] : "direct";
}

const char *session_phase_id(PhaseKind kind)
{
	static const char *const ids[PHASE_COUNT] = {"netbios-session", "greeting", "negotiate",
		"login", "tree-connect", "dfs-referral", "open", "prepare", "other"};
	return kind < PHASE_COUNT ? ids[kind] : "other";
}

const char *session_size_limit_id(SizeLimit limit)
{
	static const char *const ids[] = {"unknown", "program", "server", "client-offer",
		"server-refused", "netbios", "dialect", "credits"};
	return limit < sizeof ids / sizeof *ids ? ids[limit] : "unknown";
}

const char *session_cipher_name(const SessionStats *stats)
{
	/* MS-SMB2 2.2.3.1.2 */
	static const char *const names[] = {
		NULL, "AES-128-CCM", "AES-128-GCM", "AES-256-CCM", "AES-256-GCM"};
	return stats->cipher < sizeof names / sizeof *names ? names[stats->cipher] : "unknown";
}

const char *session_signing_name(const SessionStats *stats)
{
	/* MS-SMB2 2.2.3.1.7 */
	static const char *const names[] = {"HMAC-SHA256", "AES-CMAC", "AES-GMAC"};
	if (stats->has_signing_algorithm)
		return stats->signing_algorithm < sizeof names / sizeof *names
			       ? names[stats->signing_algorithm]
			       : "unknown";
	if (!stats->dialect)
		return NULL;
	/* 3.1.4.1: by dialect where the context is missing; MS-SMB 3.1.4.1 for SMB1 */
	if (strcmp(stats->protocol, "smb2") != 0)
		return strcmp(stats->protocol, "smb1") == 0 ? "MD5" : NULL;
	return stats->dialect[0] == '2' ? names[0] : names[1];
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
	activity_fill(framed, ret);
	ret->counts.credits_left = INT32_MIN;
	if (framed->kind != &session_kind_smb || !framed->smb.saw_smb2)
		ret->counts.credits_max = INT32_MIN;
	memcpy(ret->phases, framed->phases, sizeof ret->phases);
	ret->first_data_ns = framed->first_data_ns;
	ret->inferred = framed->inferred;
	ret->unpaired_replies = framed->unpaired_replies;
	if (framed->kind == &session_kind_smb) {
		fill_smb(framed, ret);
		fill_size(framed, false, ret->max_read_bytes, &ret->read_size);
		fill_size(framed, true, ret->max_write_bytes, &ret->write_size);
	} else {
		ret->ftp_ascii = framed->ftp.any_ascii;
		ret->ftp_tls = framed->ftp.is_tls;
		ret->is_encrypted = framed->ftp.is_tls;
	}
	return true;
}
