/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From units to findings and the verdict: see diagnosis.h. docs/architecture.md, "Life of a
 * finding".
 */
#include "analyzer/diagnosis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "analyzer/base/address.h"
#include "analyzer/causes/cause.h"
#include "analyzer/causes/neighbours.h"
#include "analyzer/causes/outlook.h"
#include "analyzer/constants.h"
#include "analyzer/finding.h"
#include "analyzer/fixes.h"
#include "analyzer/surroundings.h"

/* A file is looked at on its own inside a job when it holds this share of the job's time, or lasts
 * a second. */
#define LARGE_FILE_SHARE 0.25
#define LARGE_FILE_NS SECOND_NS
/* Files that hold most of a job are spoken of instead of the job. */
#define LARGE_FILES_SHARE 0.7
/* Below this nobody waits; docs/architecture.md, "Life of a finding" calls it healthy unless
 * something major is wrong. */
#define SHORT_WALL_NS SECOND_NS
/* Reasons listed at most: what is ruled out must fit two lines. */
#define MAX_RULED_OUT 5

typedef struct Examination {
	const DiagnosisInput *input;
	Surroundings *around; /* of units, and those told of before */
	GArray *drafts;       /* FindingCandidate */
	bool *is_examined;
} Examination;

/* Side of the main connection that plays @side of the unit: FTP data may be opened by the server.
 */
static Side facts_side(const Unit *unit, const ConnectionFacts *facts, Side side)
{
	bool is_same = memcmp(facts->addr[SIDE_CLIENT], unit->addr[SIDE_CLIENT], 16) == 0;
	if (is_same || !facts->is_ftp_data)
		return side;
	return side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
}

static Vantage vantage_for(const TcpConnection *tcp)
{
	int64_t rtt = tcp_rtt_ns(tcp);
	if (rtt == 0)
		return VANTAGE_UNKNOWN;
	double share = (double)tcp->loop_ns[SIDE_CLIENT] / (double)rtt;
	return share <= 0.1 ? VANTAGE_CLIENT : share >= 0.9 ? VANTAGE_SERVER : VANTAGE_MIDDLE;
}

static void path_facts(CauseContext *c, const ConnectionFacts *facts, Side tcp_bulk)
{
	const TcpConnection *tcp = &facts->tcp;
	c->sender = &tcp->dir[tcp_bulk];
	c->receiver = &tcp->dir[1 - (int)tcp_bulk];
	c->rtt_ns = tcp_rtt_ns(tcp);
	c->vantage = vantage_for(tcp);
	c->mss = c->sender->mss > 0 ? c->sender->mss : 1;
	if (facts->path) {
		int way = path_way(facts->client_is_low, tcp_bulk);
		c->capacity = path_capacity(facts->path, way);
		c->trail = trail_fit(facts->path->dir[way].trail, c->rtt_ns);
	}
	/* headers of IP, TCP with timestamps, Ethernet and framing around a full segment */
	double headers = 40 + (c->sender->has_timestamps ? 12 : 0) + 14 + FRAMING_BYTES;
	c->goodput_limit = c->capacity.bytes_per_s * c->mss / (c->mss + headers);
}

/* Packets of the kernel's that were never seen may have been of this unit. */
static Confidence blind_cap(const DiagnosisInput *input, const Unit *unit)
{
	BlindnessShare share =
		blindness_during(input->blindness, unit->account.start_ns, unit->account.end_ns);
	if (share.dropped == 0)
		return CONFIDENCE_HIGH;
	return blindness_is_heavy(&share) ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
}

/* Beside whatever else is doubtful. */
static void add_doubt(Arena *arena, FindingDraft *draft, const char *doubt)
{
	draft->doubt = draft->doubt ? arena_printf(arena, "%s; %s", draft->doubt, doubt) : doubt;
}

static void doubt_blindness(const DiagnosisInput *input, const Unit *unit, FindingDraft *draft)
{
	BlindnessShare share =
		blindness_during(input->blindness, unit->account.start_ns, unit->account.end_ns);
	if (share.dropped == 0)
		return;
	add_doubt(input->arena, draft,
		arena_printf(input->arena,
			"the capturing machine dropped %" PRIu64
			" packets (%.1f %%) while it went on",
			share.dropped,
			100.0 * (double)share.dropped / (double)(share.dropped + share.received)));
}

static bool is_broken_off(const DiagnosisInput *input, const Unit *unit)
{
	return input->is_damaged && unit->cut;
}

static void doubt_damage(const DiagnosisInput *input, const Unit *unit, FindingDraft *draft)
{
	if (is_broken_off(input, unit))
		add_doubt(input->arena, draft,
			"the capture file is damaged, and the copy does not end in it");
}

/* Of the whole capture capture_grade.c says it; this is about one connection among others. */
static bool is_one_sided(const TcpDirection *a, const TcpDirection *b)
{
	uint64_t more = MAX(a->packets, b->packets), less = MIN(a->packets, b->packets);
	return (double)less < CAPTURE_ONE_SIDED_SHARE * (double)more;
}

static void context_make(const Examination *ex, const Unit *unit, CauseContext *c)
{
	memset(c, 0, sizeof(*c));
	c->unit = unit;
	c->facts = unit->facts;
	c->bulk = unit_bulk_side(unit);
	c->wall_ns = unit_duration_ns(unit) > 0 ? unit_duration_ns(unit) : 1;
	c->bytes = unit_bytes(unit);
	c->rate = (double)c->bytes * 1e9 / (double)c->wall_ns;
	c->link_ns = unit->account.bucket_ns[BUCKET_LINK];
	c->mss = 1460;
	c->confidence_cap = ex->input->confidence_cap;
	if (c->facts) {
		path_facts(c, c->facts, facts_side(unit, c->facts, c->bulk));
		const ConnectionFacts *control = unit->control ? unit->control : c->facts;
		if (control->has_session)
			c->session = &control->session;
		uint64_t unseen = c->sender->uncaptured_bytes;
		if (unseen * 10 > c->sender->unique_bytes + unseen)
			c->confidence_cap = CONFIDENCE_LOW;
		else if (unseen * 50 > c->sender->unique_bytes + unseen &&
			 c->confidence_cap > CONFIDENCE_MEDIUM)
			c->confidence_cap = CONFIDENCE_MEDIUM;
		c->is_one_sided = is_one_sided(c->sender, c->receiver);
		if (c->is_one_sided)
			c->confidence_cap = CONFIDENCE_LOW;
		c->is_data_unseen = unit->unseen_bytes > 0 || unit->files_unseen > 0;
	}
	c->confidence_cap = MIN(c->confidence_cap, blind_cap(ex->input, unit));
	if (is_broken_off(ex->input, unit))
		c->confidence_cap = MIN(c->confidence_cap, CONFIDENCE_MEDIUM);
	memcpy(c->left_ns, unit->account.bucket_ns, sizeof(c->left_ns));
	memcpy(c->left_round_trip_ns, unit->account.round_trip_ns, sizeof(c->left_round_trip_ns));
	memcpy(c->left_server_ns, unit->account.server_ns, sizeof(c->left_server_ns));
	c->client_name = address_text(ex->input->arena, unit->addr[SIDE_CLIENT]);
	c->server_name = address_text(ex->input->arena, unit->addr[SIDE_SERVER]);
	c->sender_name = c->bulk == SIDE_CLIENT ? c->client_name : c->server_name;
	c->receiver_name = c->bulk == SIDE_CLIENT ? c->server_name : c->client_name;
	c->units = surroundings_units(ex->around, unit, &c->unit_count);
	c->connections = surroundings_connections(ex->around, unit, &c->connection_count);
	c->udp_flows = ex->input->udp_flows;
	c->udp_flow_count = ex->input->udp_flow_count;
	c->pauses = ex->input->pauses;
	c->arena = ex->input->arena;
}

static void take_claims(CauseContext *c, const FindingDraft *draft)
{
	for (int i = 0; i < BUCKET_COUNT; i++)
		c->left_ns[i] -= draft->claim_ns[i];
	for (int i = 0; i < OP_CLASS_COUNT; i++) {
		c->left_round_trip_ns[i] -= draft->claim_round_trip_ns[i];
		c->left_server_ns[i] -= draft->claim_server_ns[i];
	}
}

static bool is_large_enough(const CauseContext *c, const FindingDraft *draft)
{
	return draft->is_note || draft->lost_ns >= cause_min_lost_ns(c);
}

static void clamp_savings(FindingDraft *draft)
{
	if (draft->saved_high_ns > draft->lost_ns)
		draft->saved_high_ns = draft->lost_ns;
	if (draft->saved_high_ns < 0)
		draft->saved_high_ns = 0;
	if (draft->saved_low_ns > draft->saved_high_ns)
		draft->saved_low_ns = draft->saved_high_ns;
	if (draft->saved_low_ns < 0)
		draft->saved_low_ns = 0;
}

static gint by_precedence(gconstpointer a, gconstpointer b)
{
	const Cause *x = *(const Cause *const *)a, *y = *(const Cause *const *)b;
	return (x->precedence > y->precedence) - (x->precedence < y->precedence);
}

static GPtrArray *causes_in_order(void)
{
	GPtrArray *causes = g_ptr_array_new();
	for (const Cause *const *c = cause_table; *c; c++)
		g_ptr_array_add(causes, (gpointer)(uintptr_t)*c);
	g_ptr_array_sort(causes, by_precedence);
	return causes;
}

/* Most causes say nothing and touch nothing: telling that is cheaper than clearing what is clear.
 * What they write first are claims or one of the others here. */
static void draft_clear(FindingDraft *draft)
{
	if (draft->lost_ns != 0 || draft->sentence || draft->is_note || draft->confidence != 0 ||
		draft->fix || draft->doubt || draft->number_count > 0 || draft->evidence_count > 0)
		memset(draft, 0, sizeof(*draft));
#ifdef __SANITIZE_ADDRESS__
	/* the run of all tests under AddressSanitizer looks whether that is true of every cause */
	static const FindingDraft none;
	g_assert(memcmp(draft, &none, sizeof(none)) == 0);
#endif
}

static void examine(Examination *ex, uint32_t index, const GPtrArray *causes)
{
	CauseContext context;
	FindingCandidate candidate;
	const Unit *unit = ex->input->units[index];
	guint first = ex->drafts->len;
	ex->is_examined[index] = true;
	context_make(ex, unit, &context);
	memset(&candidate, 0, sizeof(candidate));
	candidate.unit = index;
	candidate.wall_ns = context.wall_ns;
	candidate.bytes = context.bytes;
	for (guint i = 0; i < causes->len; i++) {
		const Cause *cause = causes->pdata[i];
		if (!cause->conclude)
			continue;
		draft_clear(&candidate.draft);
		candidate.cause = cause;
		if (!cause->conclude(&context, &candidate.draft) ||
			!is_large_enough(&context, &candidate.draft))
			continue;
		clamp_savings(&candidate.draft);
		take_claims(&context, &candidate.draft);
		if (candidate.draft.confidence > context.confidence_cap)
			candidate.draft.confidence = context.confidence_cap;
		doubt_blindness(ex->input, unit, &candidate.draft);
		doubt_damage(ex->input, unit, &candidate.draft);
		g_array_append_val(ex->drafts, candidate);
	}
	/* what is left now is nobody's */
	for (guint i = first; i < ex->drafts->len; i++) {
		FindingCandidate *c = &g_array_index(ex->drafts, FindingCandidate, i);
		c->saving = saving_make(&context, &c->draft);
	}
}

/* Time of its large files, as a share of the job. */
static bool is_large_file(const Unit *unit, const Unit *job)
{
	int64_t ns = unit_duration_ns(unit);
	return ns >= LARGE_FILE_NS ||
	       (double)ns >= LARGE_FILE_SHARE * (double)unit_duration_ns(job);
}

static double large_files_share(const Unit *job, const Unit *const *files, uint32_t count)
{
	int64_t wall = unit_duration_ns(job), sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += is_large_file(files[i], job) ? unit_duration_ns(files[i]) : 0;
	return wall > 0 ? (double)sum / (double)wall : 0;
}

/* Either the job is spoken of or its large files are: never both about the same time. */
static void examine_all(Examination *ex)
{
	const DiagnosisInput *input = ex->input;
	g_autoptr(GPtrArray) causes = causes_in_order();
	g_autoptr(GHashTable) places = g_hash_table_new(g_direct_hash, g_direct_equal);
	for (uint32_t i = 0; i < input->transfer_count; i++)
		g_hash_table_insert(places, input->units[i], GUINT_TO_POINTER(i));
	for (uint32_t j = input->transfer_count; j < input->unit_count; j++) {
		const Unit *job = input->units[j];
		uint32_t count;
		const Unit *const *files = surroundings_files(ex->around, job->serial, &count);
		bool by_file = large_files_share(job, files, count) >= LARGE_FILES_SHARE;
		if (!by_file)
			examine(ex, j, causes);
		for (uint32_t i = 0; i < count; i++) {
			gpointer place;
			/* files told of before have none */
			if (!g_hash_table_lookup_extended(places, files[i], NULL, &place))
				continue;
			uint32_t index = GPOINTER_TO_UINT(place);
			if (by_file && is_large_file(files[i], job))
				examine(ex, index, causes);
			ex->is_examined[index] = true;
		}
	}
	for (uint32_t i = 0; i < input->transfer_count; i++) {
		if (!ex->is_examined[i])
			examine(ex, i, causes);
	}
}

/* The unit a healthy verdict speaks of: the one that moved most; without bytes the longest. */
static int32_t largest_unit(const DiagnosisInput *input)
{
	int32_t best = -1;
	for (uint32_t i = 0; i < input->unit_count; i++) {
		const Unit *u = input->units[i];
		if (best < 0) {
			best = (int32_t)i;
			continue;
		}
		const Unit *b = input->units[best];
		uint64_t bytes = unit_bytes(u), most = unit_bytes(b);
		/* of a job with one file the file is spoken of */
		bool is_longer =
			bytes == most && !u->is_job && unit_duration_ns(u) > unit_duration_ns(b);
		if (bytes > most || is_longer)
			best = (int32_t)i;
	}
	return best;
}

static void list_ruled_out(
	const Examination *ex, int32_t unit, const char *but, ResultVerdict *verdict)
{
	CauseContext context;
	ResultRuledOut list[MAX_RULED_OUT];
	size_t count = 0;
	context_make(ex, ex->input->units[unit], &context);
	g_autoptr(GPtrArray) causes = causes_in_order();
	for (guint i = 0; i < causes->len && count < MAX_RULED_OUT; i++) {
		const Cause *cause = causes->pdata[i];
		if (!cause->rules_out || (but && strcmp(cause->id, but) == 0))
			continue;
		bool was_found = false;
		for (guint k = 0; k < ex->drafts->len; k++) {
			const FindingCandidate *f = &g_array_index(ex->drafts, FindingCandidate, k);
			was_found |=
				f->unit == (uint32_t)unit && f->cause == cause && !f->draft.is_note;
		}
		const char *because = was_found ? NULL : cause->rules_out(&context);
		if (because)
			list[count++] = (ResultRuledOut){cause->id, because};
	}
	verdict->ruled_out = arena_memdup(ex->input->arena, list, count * sizeof(*list));
	verdict->ruled_out_count = count;
}

static bool is_healthy(const Unit *unit, const ResultFinding *finding)
{
	if (finding->severity >= SEVERITY_MAJOR)
		return false;
	/* a link that carries other transfers at the same time is as busy */
	int64_t busy = unit->account.bucket_ns[BUCKET_LINK] +
		       unit->account.bucket_ns[BUCKET_OTHER_TRAFFIC];
	double link = (double)busy / (double)(unit_duration_ns(unit) + 1);
	return link >= HEALTHY_LINK_SHARE || unit_duration_ns(unit) < SHORT_WALL_NS;
}

/* Of a bucket of @unit, what no finding of some confidence claimed. */
static int64_t unclaimed_ns(const Examination *ex, int32_t unit, Bucket bucket)
{
	int64_t ns = ex->input->units[unit]->account.bucket_ns[bucket];
	for (guint i = 0; i < ex->drafts->len; i++) {
		const FindingCandidate *c = &g_array_index(ex->drafts, FindingCandidate, i);
		if (c->unit == (uint32_t)unit && c->draft.confidence >= CONFIDENCE_MEDIUM)
			ns -= c->draft.claim_ns[bucket];
	}
	return ns;
}

/* A small cause is not why a copy was slow when half of its time is waiting that nobody explains.
 */
static bool is_beside_the_point(const Examination *ex, const ResultFinding *f)
{
	if (f->severity >= SEVERITY_MAJOR)
		return false;
	const Unit *unit = ex->input->units[f->transfer];
	int64_t wall = unit_duration_ns(unit);
	for (int b = 0; b < BUCKET_COUNT; b++) {
		/* in a protocol that is not understood a pause may be nobody's turn */
		bool is_turn = b == BUCKET_SERVER_PROCESSING || b == BUCKET_CLIENT_THINK;
		if (b != BUCKET_LINK && b != BUCKET_OTHER_TRAFFIC &&
			!(is_turn && unit->is_unframed) &&
			(double)unclaimed_ns(ex, f->transfer, (Bucket)b) >=
				CRITICAL_SHARE * (double)wall)
			return true;
	}
	return false;
}

/* The receiver broke the connection off while data were on their way to it. Of SMB and FTP the
 * messages tell what became of a file. */
static const char *broken_off_by(const CauseContext *c)
{
	bool is_reset = c->unit->is_unframed && c->receiver && c->receiver->rst_seen &&
			c->sender->una < c->sender->next;
	return is_reset ? c->receiver_name : NULL;
}

/* What the note says whose path changed its rate; NULL without one. */
static const char *told_limit(const Examination *ex, const Unit *unit)
{
	for (guint i = 0; i < ex->drafts->len; i++) {
		const FindingCandidate *c = &g_array_index(ex->drafts, FindingCandidate, i);
		if (ex->input->units[c->unit] == unit && strcmp(c->cause->id, "shaping") == 0)
			return c->draft.sentence;
	}
	return NULL;
}

/* What a person wants to hear about a unit nothing is wrong with. */
static const char *healthy_sentence(const Examination *ex, const Unit *unit)
{
	CauseContext c;
	context_make(ex, unit, &c);
	double share = (double)c.link_ns / (double)c.wall_ns;
	const char *rate = cause_rate(&c, c.rate);
	if (c.bytes == 0)
		return "No file data moved.";
	bool is_full = c.capacity.is_proven && c.rate >= FULL_RATE_SHARE * c.goodput_limit;
	double nominal = is_full ? path_nominal_bps(c.capacity.bytes_per_s) : 0;
	if (share >= HEALTHY_LINK_SHARE && nominal > 0)
		return cause_printf(&c, "Nothing is wrong: %s is a full %s link.", rate,
			nominal == 1e9 ? "gigabit"
				       : cause_printf(&c, "%.0f Mbit/s", nominal / 1e6));
	const char *by = broken_off_by(&c);
	if (share >= HEALTHY_LINK_SHARE && by)
		return cause_printf(&c,
			"%s is what the path carries, until %s broke the connection off (RST).",
			rate, by);
	const char *limit = told_limit(ex, unit);
	if (share >= HEALTHY_LINK_SHARE && limit)
		return cause_printf(&c, "Nothing is wrong with the hosts. %s", limit);
	if (share >= HEALTHY_LINK_SHARE)
		return cause_printf(&c, "Nothing is wrong: %s is what the path carries.", rate);
	int64_t others = unit->account.bucket_ns[BUCKET_OTHER_TRAFFIC];
	bool is_shared = others > 0 && (share + cause_share(&c, others) >= HEALTHY_LINK_SHARE ||
					       neighbours_fill_path(&c));
	if (is_shared && c.wall_ns >= SHORT_WALL_NS)
		return cause_printf(&c,
			"Nothing is wrong: the path was full, this copy got %s of it and others "
			"the rest.",
			rate);
	if (c.wall_ns < SHORT_WALL_NS && by)
		return cause_printf(&c, "It took %s, then %s broke the connection off (RST).",
			cause_time(&c, (double)c.wall_ns), by);
	if (c.wall_ns < SHORT_WALL_NS && unit->is_unfinished)
		return cause_printf(&c, "Nothing is wrong in the %s that were captured of it.",
			cause_time(&c, (double)c.wall_ns));
	if (c.wall_ns < SHORT_WALL_NS)
		return cause_printf(
			&c, "Nothing is wrong: it took %s.", cause_time(&c, (double)c.wall_ns));
	int most = BUCKET_LINK;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		if (unit->account.bucket_ns[b] > unit->account.bucket_ns[most])
			most = b;
	}
	if (most != BUCKET_LINK)
		return cause_printf(&c,
			"No single cause stands out: %s; most of the time, %s, was: %s.", rate,
			cause_percent(&c, cause_share(&c, unit->account.bucket_ns[most])),
			bucket_title(most));
	return cause_printf(&c, "No single cause stands out: %s, %s of the time on the link.", rate,
		cause_percent(&c, share));
}

static void verdict_make(const Examination *ex, const Diagnosis *d, ResultVerdict *v)
{
	*v = (ResultVerdict){
		.finding = -1, .transfer = largest_unit(ex->input), .confidence = CONFIDENCE_LOW};
	for (size_t i = 0; i < d->finding_count; i++) {
		const ResultFinding *f = &d->findings[i];
		if (f->severity == SEVERITY_INFO || f->confidence < CONFIDENCE_MEDIUM ||
			f->transfer < 0)
			continue;
		const Unit *unit = ex->input->units[f->transfer];
		if (is_healthy(unit, f) || is_beside_the_point(ex, f))
			continue;
		v->finding = (int32_t)i;
		v->transfer = f->transfer;
		v->cause = f->cause;
		v->confidence = f->confidence;
		v->sentence = f->sentence;
		v->ceiling_bytes_per_s = f->ceiling_bytes_per_s;
		v->ceiling_formula = f->ceiling_formula;
		v->predicted_bytes_per_s = f->predicted_bytes_per_s;
		v->saved_ns = f->saved_ns;
		break;
	}
	if (v->transfer < 0) {
		v->sentence = "There is no file transfer in this capture.";
		return;
	}
	const Unit *unit = ex->input->units[v->transfer];
	CauseContext c;
	context_make(ex, unit, &c);
	v->measured_bytes_per_s = c.rate;
	if (v->finding >= 0) {
		v->blame = finding_blame(ex->drafts, &d->findings[v->finding]);
	} else {
		v->sentence = healthy_sentence(ex, unit);
		v->confidence = ex->input->confidence_cap;
	}
	list_ruled_out(ex, v->transfer, v->cause, v);
}

static gint by_rank(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Candidates of one unit lie in a row. */
static void findings_of_units(const DiagnosisInput *input, const Examination *ex, Diagnosis *d)
{
	Arena *arena = input->arena;
	d->unit_findings = arena_alloc_array(arena, input->unit_count + 1u, sizeof(uint32_t *));
	d->unit_finding_count = arena_alloc_array(arena, input->unit_count + 1u, sizeof(size_t));
	d->unit_fixes = arena_alloc_array(arena, input->unit_count + 1u, sizeof(*d->unit_fixes));
	d->unit_fix_count = arena_alloc_array(arena, input->unit_count + 1u, sizeof(size_t));
	for (guint first = 0, end; first < ex->drafts->len; first = end) {
		uint32_t unit = g_array_index(ex->drafts, FindingCandidate, first).unit;
		for (end = first; end < ex->drafts->len &&
				  g_array_index(ex->drafts, FindingCandidate, end).unit == unit;)
			end++;
		uint32_t *list = arena_alloc_array(arena, end - first, sizeof(*list));
		for (guint i = first; i < end; i++)
			list[i - first] =
				(uint32_t)g_array_index(ex->drafts, FindingCandidate, i).finding;
		qsort(list, end - first, sizeof(*list), by_rank);
		d->unit_findings[unit] = list;
		d->unit_finding_count[unit] = end - first;
		d->unit_fixes[unit] =
			fixes_list(arena, &g_array_index(ex->drafts, FindingCandidate, first),
				end - first, &d->unit_fix_count[unit]);
	}
}

/* The user's "what if", of every unit. */
static const ResultOutlook **outlooks_make(const Examination *ex)
{
	const DiagnosisInput *input = ex->input;
	const ResultOutlook **ret =
		arena_alloc_array(input->arena, input->unit_count + 1u, sizeof(*ret));
	for (uint32_t u = 0; input->assumption && u < input->unit_count; u++) {
		CauseContext context;
		ResultOutlook outlook = {0};
		context_make(ex, input->units[u], &context);
		if (outlook_make(&context, input->assumption, &outlook))
			ret[u] = arena_memdup(input->arena, &outlook, sizeof(outlook));
	}
	return ret;
}

Diagnosis diagnosis_run(const DiagnosisInput *input)
{
	Diagnosis d = {0};
	Examination ex = {.input = input,
		.drafts = g_array_new(FALSE, TRUE, sizeof(FindingCandidate)),
		.is_examined =
			arena_alloc_array(input->arena, input->unit_count + 1u, sizeof(bool))};
	uint32_t all_count = input->unit_count + input->history_count;
	g_autofree Unit **all = g_new(Unit *, all_count + 1);
	if (input->unit_count > 0)
		memcpy(all, input->units, input->unit_count * sizeof(*all));
	if (input->history_count > 0)
		memcpy(all + input->unit_count, input->history,
			input->history_count * sizeof(*all));
	ex.around = surroundings_new(all, all_count, input->facts, input->fact_count);
	examine_all(&ex);
	d.findings = finding_rank(input, ex.drafts, &d.finding_count);
	findings_of_units(input, &ex, &d);
	d.unit_outlooks = outlooks_make(&ex);
	verdict_make(&ex, &d, &d.verdict);
	g_array_unref(ex.drafts);
	surroundings_free(ex.around);
	return d;
}
