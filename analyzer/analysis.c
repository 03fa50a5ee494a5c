/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packet loop: batches, flow table, conversations. See analysis.h; the conclusions are in
 * diagnosis.c and result_build.c.
 */
#include "analyzer/analysis.h"

#include <malloc.h>
#include <string.h>

#include "analyzer/clock.h"
#include "analyzer/collection.h"
#include "analyzer/constants.h"
#include "analyzer/flow/flow_table.h"
#include "analyzer/flow/fragments.h"
#include "analyzer/flow/nbf.h"
#include "analyzer/result_build.h"
#include "analyzer/rolling.h"
#include "analyzer/transfer/tracker.h"

#define DEFAULT_MEMORY_BYTES (UINT64_C(1) << 30)
/* A flow with its rings, its session and its log while it is busy; half of the memory goes to
 * flows, live somewhat less, since a busy SMB session has two open units (a file and its job). */
#define FLOW_BYTES 12288
#define FLOW_MEMORY_SHARE (1.0 / 2)
#define LIVE_FLOW_SHARE (3.0 / 8)
/* Fewer are no use, whatever the memory. */
#define LEAST_FLOWS 16
/* A sixteenth of the connections is evicted at a time, until the memory is held. */
#define EVICTION_ROUNDS 16
/* Connections are looked at for silence once in this much capture time. */
#define EXPIRE_EVERY_NS SECOND_NS
/* A connection whose both sides said FIN, or one said RST, may still see retransmissions. */
#define CLOSED_LINGER_NS (10 * SECOND_NS)

/* RFC 1122 lets keep-alives come after two hours; five minutes without a packet are no transfer. */
#define LIVE_IDLE_NS (300 * SECOND_NS)
/* A transfer that has been silent for so long is not kept at the cost of others. */
#define WANTED_SILENT_NS (60 * SECOND_NS)
/* So that what belongs together is told of together; nobody minds waiting so long. */
#define LIVE_SETTLE_NS (4 * SECOND_NS)
/* Live: shares of the memory for open units, for finished ones that wait or are compared with, and
 * for host pairs; a unit with its name, its pictures and its findings; a pair with its histograms
 * while it is busy. With the flows they are all of it. */
#define LIVE_OPEN_SHARE (3.0 / 8)
#define LIVE_UNIT_SHARE (1.0 / 8)
#define LIVE_UNIT_BYTES 20480
#define LIVE_PATH_SHARE (1.0 / 8)
#define LIVE_PATH_BYTES 16384

/* InputState: what belongs to one input; zeroed at its first packet. */
typedef struct InputState {
	Clock clock;
	uint32_t next_stream;
	uint32_t next_other;  /* of connections that are not TCP */
	Datagrams *datagrams; /* NULL: none so far */
} InputState;

struct Analysis {
	AnalysisOptions options;
	FlowTable *flows;
	Tracker *tracker;
	Fragments *fragments;
	Nbf *nbf; /* NULL: no NetBEUI so far */
	UdpFlows *udp_flows;
	Collection collection;
	Rolling rolling;
	CaptureTotals totals;
	Blindness blindness;
	GArray *inputs; /* InputState */
	int64_t next_expiry_ns;
	uint64_t given_up; /* live: things that limits told of so far */
	bool is_finished;
};

static void on_unit(void *user, Unit *unit)
{
	collection_unit(&((Analysis *)user)->collection, unit);
}

static void on_connection(void *user, ConnectionFacts *facts)
{
	collection_connection(&((Analysis *)user)->collection, facts);
}

static void on_stalled(void *user, uint16_t input, const Span *span, int64_t start_ns, int64_t ns)
{
	const AnalysisOptions *o = &((Analysis *)user)->options;
	if (o->span)
		o->span(o->span_user, span, start_ns, ns);
	if (ns < TIMELINE_STALL_NS)
		return;
	static const OwedBy owed[] = {
		[BUCKET_SIDE_NETWORK] = OWED_BY_NETWORK,
		[BUCKET_SIDE_CLIENT] = OWED_BY_CLIENT,
		[BUCKET_SIDE_SERVER] = OWED_BY_SERVER,
		[BUCKET_SIDE_SENDER] = OWED_BY_UNKNOWN,
		[BUCKET_SIDE_RECEIVER] = OWED_BY_UNKNOWN,
		[BUCKET_SIDE_CAPTURE] = OWED_BY_UNKNOWN,
		[BUCKET_SIDE_PROTOCOL] = OWED_BY_NETWORK,
	};
	Bucket bucket = span->bucket;
	OwedBy by = owed[bucket_side(bucket)];
	if (bucket_side(bucket) == BUCKET_SIDE_SENDER)
		by = span->side == SIDE_CLIENT ? OWED_BY_CLIENT : OWED_BY_SERVER;
	if (bucket_side(bucket) == BUCKET_SIDE_RECEIVER)
		by = span->side == SIDE_CLIENT ? OWED_BY_SERVER : OWED_BY_CLIENT;
	ResultStall stall = {.stream = span->stream,
		.input = input,
		.start_ns = start_ns,
		.duration_ns = ns,
		.owed_by = by,
		.bucket = bucket,
		.frame = span->frame};
	collection_stall(&((Analysis *)user)->collection, &stall);
}

static void on_evict(void *user, Flow *flow)
{
	Analysis *analysis = user;
	analysis->totals.flows_evicted++;
	tracker_end(analysis->tracker, flow->user, flow->last_ns, true);
}

/* A flood of connections that never say anything must not end transfers that go on. */
static bool is_wanted(void *user, const Flow *flow)
{
	const Conversation *conv = flow->user;
	int64_t silent_ns = ((const Analysis *)user)->totals.last_ns - flow->last_ns;
	return (conv->units || conv->unit || conv->job) && silent_ns < WANTED_SILENT_NS;
}

static void live_init(Analysis *analysis, TrackerLimits *limits)
{
	double memory = (double)analysis->options.memory_bytes;
	double units = memory * LIVE_UNIT_SHARE / LIVE_UNIT_BYTES,
	       open = memory * LIVE_OPEN_SHARE / LIVE_UNIT_BYTES,
	       paths = memory * LIVE_PATH_SHARE / LIVE_PATH_BYTES;
	analysis->totals.expire = true;
	analysis->totals.idle_ns = LIVE_IDLE_NS;
	if (analysis->options.settle_ns == 0)
		analysis->options.settle_ns = LIVE_SETTLE_NS;
	analysis->collection.is_live = true;
	analysis->collection.max_units = (uint32_t)CLAMP(units, 16, COLLECTION_MAX_UNITS);
	limits->max_units = (uint32_t)CLAMP(open, 16, COLLECTION_MAX_UNITS);
	limits->max_paths = (uint32_t)CLAMP(paths, 16, COLLECTION_MAX_UNITS);
	flow_table_protect(analysis->flows, is_wanted);
	rolling_init(&analysis->rolling, analysis->collection.max_units);
}

Analysis *analysis_new(const AnalysisOptions *options)
{
	Analysis *analysis = g_new0(Analysis, 1);
	analysis->options = *options;
	if (analysis->options.memory_bytes == 0)
		analysis->options.memory_bytes = DEFAULT_MEMORY_BYTES;
	flow_hash_seed();
	double flows = (double)analysis->options.memory_bytes *
		       (options->is_live ? LIVE_FLOW_SHARE : FLOW_MEMORY_SHARE) / FLOW_BYTES;
	analysis->flows = flow_table_new(
		(size_t)MAX(flows, LEAST_FLOWS), sizeof(Conversation), on_evict, analysis);
	g_assert(analysis->flows);
	analysis->fragments = fragments_new();
	analysis->udp_flows = udp_flows_new();
	analysis->totals.udp_flows = analysis->udp_flows;
	collection_init(&analysis->collection);
	analysis->collection.assumption = options->assumption;
	TrackerOps ops = {.unit_done = on_unit,
		.connection_done = on_connection,
		.stalled = on_stalled,
		.user = analysis};
	TrackerLimits limits = {.link_bytes_per_s = analysis->options.link_bps / 8,
		.stall_ns = analysis->options.span ? analysis->options.span_min_ns : 0,
		.smb_keys = analysis->options.smb_keys,
		.is_unpredicted = analysis->options.is_unpredicted};
	if (analysis->options.is_live)
		live_init(analysis, &limits);
	analysis->tracker = tracker_new(&ops, &limits);
	analysis->inputs = g_array_new(FALSE, TRUE, sizeof(InputState));
	return analysis;
}

static InputState *input_state(Analysis *analysis, uint16_t input)
{
	if (analysis->inputs->len <= input)
		g_array_set_size(analysis->inputs, input + 1u);
	return &g_array_index(analysis->inputs, InputState, input);
}

/** Place: where a packet belongs, found before its turn comes. */
typedef struct Place {
	FlowKey key;
	uint64_t hash;
	Flow *near; /* most likely its flow, unless one was evicted since; may be NULL */
	bool from_low;
} Place;

/* @next: counts the connections of this kind; @first: the number of the first one. */
__attribute__((always_inline)) static inline void tcp_packet(
	Analysis *analysis, Packet *packet, const Place *place, uint32_t *next, uint32_t first)
{
	bool is_new = false;
	Flow *flow = place->near;
	if (!flow_table_hit(flow, &place->key, packet->ts_ns))
		flow = flow_table_get_near(analysis->flows, place->near, &place->key, place->hash,
			packet->ts_ns, &is_new);
	/* two inputs with the same connection may disagree about the time */
	packet->ts_ns = flow->last_ns;
	/* flow->user lies on a line of memory that nothing else needs */
	Conversation *conv = flow_table_user(flow);
	if (packet->tcp_flags & TCP_SYN && !is_new && tracker_is_reuse(conv, packet)) {
		tracker_end(analysis->tracker, conv, packet->ts_ns, false);
		is_new = true;
	}
	if (is_new)
		tracker_begin(analysis->tracker, conv, packet, place->from_low, first + (*next)++);
	if (!tracker_predicted(analysis->tracker, conv, packet, place->from_low))
		tracker_packet(analysis->tracker, conv, packet, place->from_low);
}

/* A packet that was not there as such: put together of fragments, or made of a NetBEUI frame. */
static void made_packet(Analysis *analysis, Packet *packet, uint32_t *next, uint32_t first)
{
	Place place = {.near = NULL};
	place.from_low = flow_key_of(packet, &place.key);
	place.hash = flow_key_hash(&place.key);
	tcp_packet(analysis, packet, &place, next, first);
}

static void nbf_packet(Analysis *analysis, InputState *input, const Packet *packet)
{
	Packet segment;
	if (!analysis->nbf)
		analysis->nbf = nbf_new();
	if (analysis->nbf && nbf_segment(analysis->nbf, packet, &segment))
		made_packet(analysis, &segment, &input->next_other, STREAM_NOT_TCP);
}

static void datagram_packet(InputState *input, const Packet *packet)
{
	if (!input->datagrams)
		input->datagrams = datagrams_new();
	if (input->datagrams)
		datagrams_push(input->datagrams, packet);
}

static void count_pause(PauseFrames *pauses, const Packet *packet)
{
	if (pauses->count++ == 0) {
		pauses->first_ns = packet->ts_ns;
		pauses->first_frame = packet->frame;
	}
	pauses->last_ns = packet->ts_ns;
}

static void other_packet(Analysis *analysis, InputState *input, Packet *packet)
{
	Packet whole;
	if (packet->kind == PACKET_FRAGMENT && analysis->fragments &&
		fragments_push(analysis->fragments, packet, &whole)) {
		if (whole.kind == PACKET_TCP) {
			made_packet(analysis, &whole, &input->next_stream, 0);
			return;
		}
		if (whole.kind == PACKET_UDP && analysis->udp_flows)
			udp_flows_push(analysis->udp_flows, &whole);
	}
	if (packet->kind == PACKET_UDP && analysis->udp_flows)
		udp_flows_push(analysis->udp_flows, packet);
	if (packet->kind == PACKET_PAUSE)
		count_pause(&analysis->totals.pauses, packet);
	if (packet->kind == PACKET_UDP)
		tracker_udp(analysis->tracker, packet);
	if (packet->kind == PACKET_NBF)
		nbf_packet(analysis, input, packet);
	if (smb_datagram_may_be(packet))
		datagram_packet(input, packet);
	analysis->totals.ignored[packet->kind]++;
}

/* Bytes that are allocated now; 0 where the C library does not say. */
static uint64_t memory_in_use(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	struct mallinfo2 info = mallinfo2();
	return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
#else
	return 0;
#endif
}

/* Live: tables are sized for usual connections; where most have long logs and many files, first
 * what is only compared with is given up, then the oldest connections, until all fit. */
static void hold_memory(Analysis *analysis)
{
	for (int i = 0; i < 2 * EVICTION_ROUNDS; i++) {
		size_t count = flow_table_count(analysis->flows);
		if (rolling_is_full(&analysis->collection) ||
			memory_in_use() <= analysis->options.memory_bytes)
			return;
		if (rolling_forget(&analysis->rolling, &analysis->collection))
			continue;
		for (size_t n = count / EVICTION_ROUNDS + 1; n > 0 && count > LEAST_FLOWS; n--)
			flow_table_evict(analysis->flows);
	}
}

/* Live: connections that are silent for long are put to rest, so that their memory is free for
 * others, and jobs that are over end. */
static void expire(Analysis *analysis, int64_t now_ns)
{
	/* after a clock that stepped back the next time is far away */
	if (!analysis->totals.expire ||
		(now_ns < analysis->next_expiry_ns &&
			analysis->next_expiry_ns - now_ns <= EXPIRE_EVERY_NS))
		return;
	analysis->next_expiry_ns = now_ns + EXPIRE_EVERY_NS;
	if (!analysis->is_finished)
		hold_memory(analysis);
	Flow *flow = flow_table_oldest(analysis->flows);
	while (flow) {
		/* what ends must be taken first; then it goes on from here */
		if (rolling_is_full(&analysis->collection)) {
			analysis->next_expiry_ns = now_ns;
			return;
		}
		Flow *next = flow->lru_next;
		const Conversation *conv = flow->user;
		int64_t silent_ns = now_ns - flow->last_ns;
		bool is_closed =
			conv->tcp.state >= TCP_STATE_CLOSED && silent_ns > CLOSED_LINGER_NS;
		if (is_closed || silent_ns > analysis->totals.idle_ns) {
			tracker_end(analysis->tracker, flow->user, flow->last_ns, !is_closed);
			flow_table_remove(analysis->flows, flow);
		} else {
			tracker_rest(flow->user, now_ns);
		}
		flow = next;
	}
}

/* Takes the times and adds to the totals of packets that come from one input one behind the other;
 * returns how many there were. Their own turn comes later and changes none of it, so that sums stay
 * in registers. */
static size_t count_run(Analysis *analysis, Packet *run, size_t max)
{
	CaptureTotals *totals = &analysis->totals;
	uint16_t index = run->input;
	Clock *clock = &input_state(analysis, index)->clock;
	uint64_t bytes = 0, captured_bytes = 0, cut_packets = 0, steps_back = 0;
	uint64_t last_frame = index == totals->last_input ? totals->last_frame : 0;
	size_t count = 0;
	do {
		Packet *packet = &run[count];
		packet->ts_ns = clock_take(clock, packet->ts_ns);
		bytes += packet->wirelen;
		captured_bytes += packet->caplen;
		cut_packets += packet->caplen < packet->wirelen;
		steps_back += packet->frame < last_frame;
		last_frame = packet->frame;
	} while (++count < max && run[count].input == index);
	/* an input's own time never runs backwards */
	int64_t first_ns = run[0].ts_ns, last_ns = run[count - 1].ts_ns;
	bool is_first = totals->packets == 0;
	totals->first_ns = is_first ? first_ns : MIN(totals->first_ns, first_ns);
	totals->last_ns = is_first ? last_ns : MAX(totals->last_ns, last_ns);
	totals->packets += count;
	totals->bytes += bytes;
	totals->captured_bytes += captured_bytes;
	totals->cut_packets += cut_packets;
	totals->out_of_order |= steps_back > 0;
	totals->last_frame = last_frame;
	totals->last_input = index;
	return count;
}

/* Clocks that were set back, of all inputs. */
static void count_clocks(Analysis *analysis)
{
	for (guint i = 0; i < analysis->inputs->len; i++) {
		const Clock *clock = &g_array_index(analysis->inputs, InputState, i).clock;
		analysis->totals.steps_back += clock->steps_back;
		analysis->totals.largest_step_back_ns =
			MAX(analysis->totals.largest_step_back_ns, clock->largest_step_back_ns);
	}
}

/* Asks for the memory that a batch will touch, in steps, so that each finds what the one before it
 * asked for. */
__attribute__((flatten)) static void look_ahead(
	const Analysis *analysis, const Packet *batch, size_t count, Place *places)
{
	for (size_t i = 0; i < count; i++) {
		if (batch[i].kind != PACKET_TCP)
			continue;
		places[i].from_low = flow_key_of(&batch[i], &places[i].key);
		places[i].hash = flow_key_hash(&places[i].key);
		flow_table_prefetch_slot(analysis->flows, places[i].hash);
	}
	for (size_t i = 0; i < count; i++) {
		if (batch[i].kind != PACKET_TCP)
			continue;
		places[i].near = flow_table_prefetch_flow(analysis->flows, places[i].hash);
		if (places[i].near)
			tracker_prefetch(flow_table_user(places[i].near));
	}
	for (size_t i = 0; i < count; i++) {
		if (batch[i].kind == PACKET_TCP && places[i].near && batch[i].payload_len > 0)
			tracker_prefetch_deep(flow_table_user(places[i].near), places[i].from_low);
	}
}

void analysis_feed(Analysis *analysis, Packet *batch, size_t count)
{
	Place places[READER_BATCH];
	g_assert(count <= READER_BATCH);
	look_ahead(analysis, batch, count, places);
	uint64_t evictions = flow_table_evictions(analysis->flows);
	size_t same = count > 0 ? count_run(analysis, batch, count) : 0;
	for (size_t i = same; i < count;)
		i += count_run(analysis, &batch[i], count - i);
	InputState *input = count > 0 ? input_state(analysis, batch[0].input) : NULL;
	for (size_t i = 0; i < count; i++) {
		if (i >= same)
			input = input_state(analysis, batch[i].input);
		if (batch[i].kind != PACKET_TCP) {
			other_packet(analysis, input, &batch[i]);
			continue;
		}
		if (flow_table_evictions(analysis->flows) != evictions)
			places[i].near = NULL;
		tcp_packet(analysis, &batch[i], &places[i], &input->next_stream, 0);
	}
	if (count > 0)
		expire(analysis, batch[count - 1].ts_ns);
}

void analysis_tick(Analysis *analysis, int64_t now_ns)
{
	if (analysis->totals.packets == 0)
		return;
	/* after a clock was set back time goes on from where it was */
	now_ns += input_state(analysis, 0)->clock.offset_ns;
	if (now_ns > analysis->totals.last_ns)
		analysis->totals.last_ns = now_ns;
	expire(analysis, now_ns);
}

void analysis_blind(
	Analysis *analysis, int64_t from_ns, int64_t to_ns, uint64_t dropped, uint64_t received)
{
	int64_t offset_ns = input_state(analysis, 0)->clock.offset_ns;
	blindness_note(
		&analysis->blindness, from_ns + offset_ns, to_ns + offset_ns, dropped, received);
	analysis->totals.blindness = &analysis->blindness;
}

static uint64_t given_up(const Analysis *analysis)
{
	const CaptureTotals *totals = &analysis->totals;
	return totals->flows_evicted + totals->told_early + totals->tracker.units_refused +
	       totals->tracker.paths_refused + totals->fragments.evicted +
	       analysis->collection.units_dropped;
}

Result *analysis_take(Analysis *analysis, const Reader *reader, bool takes_all)
{
	CaptureTotals *totals = &analysis->totals;
	GPtrArray *units = rolling_select(&analysis->rolling, &analysis->collection,
		analysis->tracker, totals->last_ns, analysis->options.settle_ns, takes_all);
	totals->tracker = tracker_counts(analysis->tracker);
	totals->fragments = fragments_stats(analysis->fragments);
	totals->told_early = analysis->rolling.told_early;
	if (units->len == 0 && analysis->collection.stalls.count == 0 &&
		given_up(analysis) == analysis->given_up) {
		g_ptr_array_unref(units);
		return NULL;
	}
	analysis->given_up = given_up(analysis);
	for (Flow *flow = flow_table_oldest(analysis->flows); flow && !analysis->is_finished;
		flow = flow->lru_next)
		tracker_facts_now(flow->user);
	totals->steps_back = 0;
	totals->largest_step_back_ns = 0;
	count_clocks(analysis);
	Result *result =
		rolling_build(&analysis->rolling, &analysis->collection, units, totals, reader);
	/* what the clock did is said once */
	for (guint i = 0; i < analysis->inputs->len; i++) {
		Clock *clock = &g_array_index(analysis->inputs, InputState, i).clock;
		clock->steps_back = 0;
		clock->largest_step_back_ns = 0;
	}
	return result;
}

AnalysisCounts analysis_counts(const Analysis *analysis)
{
	const CaptureTotals *totals = &analysis->totals;
	return (AnalysisCounts){.packets = totals->packets,
		.bytes = totals->bytes,
		.connections = analysis->flows ? flow_table_count(analysis->flows) : 0,
		.transfers = analysis->rolling.transfers,
		.jobs = analysis->rolling.jobs,
		.findings = analysis->rolling.findings,
		.first_ns = totals->first_ns,
		.last_ns = totals->last_ns};
}

bool analysis_wants_take(const Analysis *analysis)
{
	return rolling_is_full(&analysis->collection);
}

static void open_transfer(const Conversation *conv, const Unit *unit, OpenTransfer *ret)
{
	*ret = (OpenTransfer){.serial = unit->serial,
		.protocol = unit->protocol,
		.file = unit->file,
		.share = unit->share,
		.is_write = unit_is_write(unit),
		.bytes = unit_bytes(unit),
		.start_ns = unit->account.start_ns,
		.last_ns = conv->tcp.last_ns};
	memcpy(ret->client.addr, unit->addr[SIDE_CLIENT], 16);
	memcpy(ret->server.addr, unit->addr[SIDE_SERVER], 16);
	ret->client.port = unit->port[SIDE_CLIENT];
	ret->server.port = unit->port[SIDE_SERVER];
	memcpy(ret->bucket_ns, unit->account.bucket_ns, sizeof(ret->bucket_ns));
	if (conv->timeline)
		timeline_peek(conv->timeline, unit->account.start_ns, ret->bucket_ns);
}

size_t analysis_open_transfers(const Analysis *analysis, OpenTransfer *ret, size_t max)
{
	size_t count = 0;
	const Flow *flow = flow_table_newest(analysis->flows);
	for (; flow && count < max && !analysis->is_finished; flow = flow->lru_prev) {
		const Conversation *conv = flow->user;
		for (const Unit *unit = conv->units; unit && count < max; unit = unit->next)
			open_transfer(conv, unit, &ret[count++]);
		/* of FTP data it is in the list of the control connection */
		if (conv->unit && conv->unit->is_unframed && count < max)
			open_transfer(conv, conv->unit, &ret[count++]);
	}
	return count;
}

bool analysis_wind_down(Analysis *analysis)
{
	Flow *flow;
	while (!analysis_wants_take(analysis) && (flow = flow_table_oldest(analysis->flows))) {
		tracker_end(analysis->tracker, flow->user, flow->last_ns, false);
		flow_table_remove(analysis->flows, flow);
	}
	return flow_table_count(analysis->flows) > 0;
}

Result *analysis_finish(Analysis *analysis, const Reader *reader)
{
	g_assert(!analysis->is_finished);
	analysis->is_finished = true;
	for (Flow *flow = flow_table_oldest(analysis->flows); flow; flow = flow->lru_next)
		tracker_end(analysis->tracker, flow->user, flow->last_ns, false);
	if (analysis->options.is_live)
		return analysis_take(analysis, reader, true);
	/* what the connections held makes room for the result */
	flow_table_free(analysis->flows);
	analysis->flows = NULL;
	malloc_trim(0);
	count_clocks(analysis);
	for (guint i = 0; i < analysis->inputs->len; i++)
		collection_datagrams(&analysis->collection, (uint16_t)i,
			g_array_index(analysis->inputs, InputState, i).datagrams);
	analysis->totals.tracker = tracker_counts(analysis->tracker);
	analysis->totals.fragments = fragments_stats(analysis->fragments);
	return result_build(&analysis->collection, &analysis->totals, reader);
}

void analysis_free(Analysis *analysis)
{
	if (!analysis)
		return;
	if (!analysis->is_finished) {
		g_autoptr(Result) unused = analysis_finish(analysis, NULL);
		(void)unused;
	}
	if (analysis->options.is_live) {
		rolling_clear(&analysis->rolling);
		arena_free(analysis->collection.arena);
	}
	collection_clear(&analysis->collection);
	flow_table_free(analysis->flows);
	tracker_free(analysis->tracker);
	fragments_free(analysis->fragments);
	nbf_free(analysis->nbf);
	for (guint i = 0; i < analysis->inputs->len; i++)
		datagrams_free(g_array_index(analysis->inputs, InputState, i).datagrams);
	udp_flows_free(analysis->udp_flows);
	g_array_unref(analysis->inputs);
	g_free(analysis);
}
