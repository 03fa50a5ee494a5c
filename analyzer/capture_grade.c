/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grading a capture: see capture_grade.h.
 */
#include "analyzer/capture_grade.h"

#include <string.h>

#include "analyzer/clock.h"
#include "analyzer/constants.h"

typedef struct Tally {
	uint64_t bulk, no_handshake, one_sided, offload, copies, packets, uncaptured, unique,
		middlebox, unanswered;
	int64_t unanswered_ns; /* longest of them */
} Tally;

static void tally_direction(Tally *t, const ResultDirection *d)
{
	t->copies += d->duplicate_packets;
	t->packets += d->packets;
	t->uncaptured += d->uncaptured_bytes;
	t->unique += d->unique_bytes;
}

static void tally_connection(Tally *t, const ResultConnection *c)
{
	const ResultDirection *up = &c->direction[SIDE_CLIENT], *down = &c->direction[SIDE_SERVER];
	tally_direction(t, up);
	tally_direction(t, down);
	/* an MSS stands in a SYN alone */
	bool is_unanswered = up->packets >= CAPTURE_UNANSWERED_TRIES && up->payload_bytes == 0 &&
			     up->mss_bytes > 0 && down->packets == 0;
	t->unanswered += is_unanswered;
	if (is_unanswered && c->duration_ns > t->unanswered_ns)
		t->unanswered_ns = c->duration_ns;
	if (up->payload_bytes + down->payload_bytes + up->uncaptured_bytes +
			down->uncaptured_bytes <
		CAPTURE_BULK_BYTES)
		return;
	t->bulk++;
	t->no_handshake += !c->handshake_seen;
	t->middlebox += c->middlebox_terminated;
	uint64_t more = up->packets > down->packets ? up->packets : down->packets;
	uint64_t less = up->packets + down->packets - more;
	t->one_sided += (double)less < CAPTURE_ONE_SIDED_SHARE * (double)more;
	uint32_t segment = up->max_segment_bytes > down->max_segment_bytes
				   ? up->max_segment_bytes
				   : down->max_segment_bytes;
	uint32_t mss = up->mss_bytes > down->mss_bytes ? up->mss_bytes : down->mss_bytes;
	/* without the option: no Ethernet frame carries more than 9000 bytes */
	t->offload += mss > 0 ? segment > mss : segment > 9000;
}

/** Grader: caveats gathered; the grade is the worst of theirs. */
typedef struct Grader {
	Arena *arena;
	GArray *caveats;
	char grade;
	Confidence cap;
} Grader;

static void caveat(
	Grader *g, const char *id, uint64_t count, char grade, Confidence cap, const char *text)
{
	ResultCaveat c = {id, count, text};
	g_array_append_val(g->caveats, c);
	if (grade > g->grade)
		g->grade = grade;
	if (cap < g->cap)
		g->cap = cap;
}

static void grade_drops(Grader *g, const Tally *t, const ResultCapture *c)
{
	double share = t->unique + t->uncaptured > 0
			       ? (double)t->uncaptured / (double)(t->unique + t->uncaptured)
			       : 0;
	if (share >= CAPTURE_DROPS_MENTION_SHARE) {
		char grade = share >= CAPTURE_DROPS_LOW_SHARE      ? 'D'
			     : share >= CAPTURE_DROPS_MEDIUM_SHARE ? 'C'
								   : 'B';
		Confidence cap = share >= CAPTURE_DROPS_LOW_SHARE      ? CONFIDENCE_LOW
				 : share >= CAPTURE_DROPS_MEDIUM_SHARE ? CONFIDENCE_MEDIUM
								       : CONFIDENCE_HIGH;
		caveat(g, "capture-drops", t->uncaptured, grade, cap,
			arena_printf(g->arena,
				"the capture lacks %.1f %% of the bytes that were acknowledged: it "
				"lost packets itself",
				share * 100));
	} else if (c->dropped_packets > 0) {
		caveat(g, "capture-drops", (uint64_t)c->dropped_packets, 'B', CONFIDENCE_HIGH,
			"the capturing machine dropped packets; none of them belongs to a transfer "
			"as far as one can see");
	}
}

static void grade_frames(
	Grader *g, const Tally *t, const ResultCapture *c, const CaptureTotals *totals)
{
	if ((double)totals->cut_packets > CAPTURE_CUT_SHARE * (double)c->packets) {
		bool is_short = c->snaplen > 0 && c->snaplen < CAPTURE_SNAPLEN_HEADERS;
		bool misses_smb = c->snaplen > 0 && c->snaplen < CAPTURE_SNAPLEN_SMB;
		caveat(g, "capture-snaplen", totals->cut_packets,
			is_short     ? 'C'
			: misses_smb ? 'B'
				     : 'A',
			is_short ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH,
			is_short ? "frames are cut so short that even TCP options are missing"
			: misses_smb
				? "frames are cut short: file names and requests may be missing"
				: "frames are cut behind the headers: content is missing, timing "
				  "is not");
	}
	if ((double)t->copies > CAPTURE_COPIES_SHARE * (double)(t->packets + 1))
		caveat(g, "capture-duplicates", t->copies, 'B', CONFIDENCE_HIGH,
			"packets were recorded twice (a span port or two interfaces); the copies "
			"were left out");
	if (t->offload > 0)
		caveat(g, "capture-offload-frames", t->offload, 'B', CONFIDENCE_HIGH,
			"frames larger than the network carries: the capturing host's card cuts or "
			"joins them, so packet counts are not the network's");
	if (totals->largest_step_back_ns > CLOCK_STEP_NS)
		caveat(g, "capture-clock", totals->steps_back, 'C', CONFIDENCE_MEDIUM,
			"the capture's clock stepped back");
}

static void grade_connections(Grader *g, const Tally *t)
{
	if (t->bulk > 0 && t->one_sided == t->bulk)
		caveat(g, "capture-one-sided", t->one_sided, 'D', CONFIDENCE_LOW,
			"only one direction was captured: windows, round trips and waiting cannot "
			"be told; capture both directions");
	else if (t->one_sided > 0)
		caveat(g, "capture-one-sided", t->one_sided, 'C', CONFIDENCE_HIGH,
			"of some connections only one direction was captured");
	if (t->no_handshake > 0)
		caveat(g, "capture-no-handshake", t->no_handshake,
			t->no_handshake == t->bulk ? 'C' : 'B', CONFIDENCE_HIGH,
			"transfers were running already when the capture began: window scale and "
			"segment size are guessed");
	if (t->middlebox > 0)
		caveat(g, "middlebox-terminated-handshake", t->middlebox, 'B', CONFIDENCE_HIGH,
			"something between the hosts answers connections for the server");
	if (t->unanswered > 0)
		caveat(g, "connect-unanswered", t->unanswered, 'A', CONFIDENCE_HIGH,
			arena_printf(g->arena,
				"%llu connection%s never answered, although the first packet was "
				"repeated for up to %.0f s",
				(unsigned long long)t->unanswered,
				t->unanswered == 1 ? " was" : "s were",
				(double)t->unanswered_ns / (double)SECOND_NS));
}

Confidence capture_grade(Arena *arena, Result *result, const CaptureTotals *totals)
{
	Grader g = {arena, g_array_new(FALSE, TRUE, sizeof(ResultCaveat)), 'A', CONFIDENCE_HIGH};
	Tally tally = {0};
	for (size_t i = 0; i < result->connection_count; i++)
		tally_connection(&tally, &result->connections[i]);
	grade_drops(&g, &tally, &result->capture);
	grade_frames(&g, &tally, &result->capture, totals);
	grade_connections(&g, &tally);
	if (result->is_partial)
		caveat(&g, "capture-damaged", 1, 'C', CONFIDENCE_HIGH,
			"an input is damaged or could not be read to its end");
	result->capture.grade = g.grade;
	result->capture.caveats =
		arena_memdup(arena, g.caveats->data, g.caveats->len * sizeof(ResultCaveat));
	result->capture.caveat_count = g.caveats->len;
	g_array_unref(g.caveats);
	return g.cap;
}

const char *capture_link_name(Arena *arena, uint32_t link_type)
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {{0, "NULL"}, {1, "EN10MB"}, {6, "IEEE802"}, {8, "SLIP"}, {9, "PPP"},
		{10, "FDDI"}, {50, "PPP_HDLC"}, {51, "PPP_ETHER"}, {100, "ATM_RFC1483"},
		{101, "RAW"}, {104, "C_HDLC"}, {105, "IEEE802_11"}, {107, "FRELAY"}, {108, "LOOP"},
		{113, "LINUX_SLL"}, {119, "PRISM_HEADER"}, {127, "IEEE802_11_RADIO"},
		{147, "USER0"}, {192, "PPI"}, {228, "IPV4"}, {229, "IPV6"}, {276, "LINUX_SLL2"}};
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].type == link_type)
			return names[i].name;
	}
	return arena_printf(arena, "LINKTYPE_%u", link_type);
}
