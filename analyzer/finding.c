/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranking findings: see finding.h. docs/architecture.md, "Life of a finding".
 */
#include "analyzer/finding.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/address.h"
#include "analyzer/base/hash.h"
#include "analyzer/constants.h"

/** Group: the same cause between the same two hosts, one way. */
typedef struct Group {
	const Cause *cause;
	FindingCandidate *main; /* the one that lost most */
	Saving saving;
	int64_t lost_ns, wall_ns;
	uint64_t bytes;
	uint32_t count, id;
	Confidence confidence;
} Group;

/** GroupKey: what findings of one group have in common; no padding, so that its bytes compare. */
typedef struct GroupKey {
	const Cause *cause;
	uint8_t addr[2][16];
	uint32_t is_note, is_write;
} GroupKey;

static guint group_hash(gconstpointer key)
{
	return (guint)hash_bytes(key, sizeof(GroupKey));
}

static gboolean group_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(GroupKey)) == 0;
}

static GroupKey group_key(const DiagnosisInput *input, const FindingCandidate *c)
{
	const Unit *unit = input->units[c->unit];
	GroupKey key = {
		.cause = c->cause, .is_note = c->draft.is_note, .is_write = unit_is_write(unit)};
	memcpy(key.addr, unit->addr, sizeof(key.addr));
	return key;
}

static Severity severity_of(const Group *g)
{
	if (g->main->draft.is_note)
		return SEVERITY_INFO;
	double share = (double)g->lost_ns / (double)g->wall_ns;
	if (share >= CRITICAL_SHARE)
		return SEVERITY_CRITICAL;
	return share >= MAJOR_SHARE ? SEVERITY_MAJOR : SEVERITY_MINOR;
}

static gint by_gain(gconstpointer a, gconstpointer b, gpointer data)
{
	const Group *x = a, *y = b;
	(void)data;
	if (x->main->draft.is_note != y->main->draft.is_note)
		return x->main->draft.is_note ? 1 : -1;
	/* a doubtful finding comes after those one can act on */
	bool x_sure = x->confidence >= CONFIDENCE_MEDIUM,
	     y_sure = y->confidence >= CONFIDENCE_MEDIUM;
	if (x_sure != y_sure)
		return x_sure ? -1 : 1;
	if (x->saving.high_ns != y->saving.high_ns)
		return x->saving.high_ns > y->saving.high_ns ? -1 : 1;
	if (x->lost_ns != y->lost_ns)
		return x->lost_ns > y->lost_ns ? -1 : 1;
	if (x->cause->precedence != y->cause->precedence)
		return x->cause->precedence < y->cause->precedence ? -1 : 1;
	return x->main->unit < y->main->unit ? -1 : x->main->unit > y->main->unit;
}

static double rate_without(uint64_t bytes, int64_t wall_ns, int64_t saved_ns)
{
	int64_t rest = wall_ns - saved_ns;
	return rest > 0 && bytes > 0 ? (double)bytes * 1e9 / (double)rest : 0;
}

/* @f has its evidence, in order. */
static const char *filter_of(const DiagnosisInput *input, const Unit *unit,
	const FindingDraft *draft, const ResultFinding *f)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_string_append(text, unit->stream_count > 1 ? "(" : "");
	for (uint32_t i = 0; i < unit->stream_count; i++) {
		g_string_append(text, i ? " || " : "");
		if (unit->streams[i] >= STREAM_NOT_TCP)
			g_string_append(text, "netbios"); /* Wireshark's name of NetBIOS frames */
		else
			g_string_append_printf(text, "tcp.stream == %u", unit->streams[i]);
	}
	g_string_append(text, unit->stream_count > 1 ? ")" : "");
	/* frames of the proof that may belong to other connections of the job are named, and all
	 * where Wireshark meets connections in another order */
	bool is_ftp = unit->protocol && g_str_has_prefix(unit->protocol, "ftp");
	if (unit->stream_count == UNIT_STREAMS || unit->is_job || is_ftp || draft->is_elsewhere ||
		input->out_of_order) {
		g_autoptr(GString) frames = g_string_new(NULL);
		for (size_t i = 0; i < f->evidence_count; i++)
			g_string_append_printf(frames, "%s%" G_GUINT64_FORMAT, i ? ", " : "",
				f->evidence[i].frame);
		if (frames->len > 0)
			g_string_append_printf(text, " || frame.number in {%s}", frames->str);
	}
	return arena_strdup(input->arena, text->str);
}

static void scope_of(const DiagnosisInput *input, const Group *g, ResultFinding *f)
{
	Arena *arena = input->arena;
	const Unit *unit = input->units[g->main->unit];
	if (g->count > 1) {
		f->scope = SCOPE_HOST_PAIR;
		f->scope_id =
			arena_printf(arena, "%s-%s", address_text(arena, unit->addr[SIDE_CLIENT]),
				address_text(arena, unit->addr[SIDE_SERVER]));
		return;
	}
	f->scope = unit->is_job ? SCOPE_SESSION : SCOPE_TRANSFER;
	f->scope_id = arena_printf(arena, "%s%u", unit->is_job ? "J" : "T", unit->number);
}

static size_t advice_count(const FindingDraft *draft)
{
	size_t n = 0;
	while (n < CAUSE_MAX_ADVICE && draft->advice[n])
		n++;
	return n;
}

static gint by_frame(gconstpointer a, gconstpointer b)
{
	const ResultEvidence *x = a, *y = b;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static void evidence_of(const DiagnosisInput *input, const FindingDraft *draft, ResultFinding *f)
{
	ResultEvidence *list =
		arena_memdup(input->arena, draft->evidence, draft->evidence_count * sizeof(*list));
	for (uint32_t i = 0; i < draft->evidence_count; i++)
		list[i].time_ns = list[i].time_ns > 0 ? list[i].time_ns - input->first_packet_ns
						      : RESULT_UNKNOWN_NS;
	qsort(list, draft->evidence_count, sizeof(*list), by_frame);
	f->evidence = list;
	f->evidence_count = draft->evidence_count;
}

static void finding_fill(
	const DiagnosisInput *input, const Group *g, size_t index, ResultFinding *f)
{
	Arena *arena = input->arena;
	const FindingDraft *draft = &g->main->draft;
	f->id = arena_printf(arena, "F%zu", input->first_finding + index + 1);
	f->cause = g->cause->id;
	f->severity = severity_of(g);
	f->confidence = g->confidence;
	scope_of(input, g, f);
	f->transfer = (int32_t)g->main->unit;
	f->title = g->cause->title;
	f->sentence = draft->sentence ? draft->sentence : g->cause->title;
	f->explanation = g->cause->explanation;
	f->fix = draft->fix;
	f->advice_count = advice_count(draft);
	f->advice = arena_memdup(arena, draft->advice, f->advice_count * sizeof(*f->advice));
	f->doubt = draft->doubt;
	if (f->confidence < CONFIDENCE_HIGH && (!draft->is_note || draft->next_test))
		f->next_test = draft->next_test ? draft->next_test : g->cause->guide.next_test;
	f->lost_ns = g->lost_ns;
	f->saved_ns = saving_range(&g->saving, g->wall_ns);
	if (!draft->is_note) {
		NsRange saved = saving_range(&g->main->saving, g->main->wall_ns);
		f->predicted_bytes_per_s =
			(RateRange){rate_without(g->main->bytes, g->main->wall_ns, saved.low),
				rate_without(g->main->bytes, g->main->wall_ns, saved.high)};
	}
	f->ceiling_bytes_per_s = draft->ceiling_bytes_per_s;
	f->ceiling_formula = draft->ceiling_formula;
	f->number_count = draft->number_count;
	f->numbers = arena_memdup(arena, draft->numbers, draft->number_count * sizeof(*f->numbers));
	evidence_of(input, draft, f);
	f->filter = filter_of(input, input->units[g->main->unit], draft, f);
}

ResultFinding *finding_rank(const DiagnosisInput *input, GArray *candidates, size_t *ret_count)
{
	g_autoptr(GArray) groups = g_array_new(FALSE, TRUE, sizeof(Group));
	g_autoptr(GHashTable) places = g_hash_table_new_full(group_hash, group_equal, g_free, NULL);
	for (guint i = 0; i < candidates->len; i++) {
		FindingCandidate *c = &g_array_index(candidates, FindingCandidate, i);
		GroupKey key = group_key(input, c);
		gpointer place;
		if (!g_hash_table_lookup_extended(places, &key, NULL, &place)) {
			Group new = {.cause = c->cause, .main = c, .id = groups->len};
			place = GUINT_TO_POINTER(groups->len);
			g_hash_table_insert(places, g_memdup2(&key, sizeof(key)), place);
			g_array_append_val(groups, new);
		}
		Group *into = &g_array_index(groups, Group, GPOINTER_TO_UINT(place));
		c->finding = (int32_t)into->id;
		into->lost_ns += c->draft.lost_ns;
		into->saving = saving_beside(into->saving, c->saving);
		into->wall_ns += c->wall_ns;
		into->bytes += c->bytes;
		into->count++;
		if (into->count == 1 || c->draft.lost_ns > into->main->draft.lost_ns) {
			into->main = c; /* whose words are told, and how sure those are */
			into->confidence = c->draft.confidence;
		}
	}
	g_array_sort_with_data(groups, by_gain, NULL);
	ResultFinding *findings =
		arena_alloc_array(input->arena, groups->len + 1u, sizeof(*findings));
	g_autofree int32_t *rank_of = g_new0(int32_t, groups->len + 1);
	for (guint k = 0; k < groups->len; k++) {
		const Group *g = &g_array_index(groups, Group, k);
		finding_fill(input, g, k, &findings[k]);
		rank_of[g->id] = (int32_t)k;
	}
	for (guint i = 0; i < candidates->len; i++) {
		FindingCandidate *c = &g_array_index(candidates, FindingCandidate, i);
		c->finding = rank_of[c->finding];
	}
	*ret_count = groups->len;
	return findings;
}

const char *finding_blame(const GArray *candidates, const ResultFinding *finding)
{
	for (guint i = 0; i < candidates->len; i++) {
		const FindingCandidate *c = &g_array_index(candidates, FindingCandidate, i);
		if ((int32_t)c->unit == finding->transfer &&
			strcmp(c->cause->id, finding->cause) == 0)
			return c->draft.blame;
	}
	return NULL;
}
