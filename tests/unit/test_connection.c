/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TCP, packet by packet: what is new, repeated, late, a copy; which repair a loss got; windows
 * without a handshake; connections that never open, open from both sides, are reset, or whose ports
 * are used again; sequence numbers that wrap.
 */
#include "analyzer/tcp/connection.h"

#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/tracker.h"
#include "tests/tools/random.h"

#define MS MILLISECOND_NS
#define MSS 1000
#define RTT_MS 20

/* A connection as seen at the client: what the server sends comes 20 ms after what it answers. */
typedef struct Wire {
	TcpConnection tcp;
	TcpStep step;
	int64_t now_ns;
	uint32_t first[2]; /* sequence number of stream offset 0 */
	uint16_t ip_id[2];
	bool has_timestamps;
	uint32_t tsval;   /* of the next packet; 0: milliseconds */
	uint32_t sack[2]; /* a block of the next packet, by offset; empty when equal */
	uint16_t window;  /* 0xffff when 0 */
	bool same_ip_id;  /* of the next packet */
} Wire;

static Packet packet_of(Wire *w, Side side, uint8_t flags, int64_t seq, int64_t ack, uint32_t len)
{
	static const uint8_t zeros[1];
	Side peer = side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	Packet p = {.kind = PACKET_TCP,
		.ip_version = 4,
		.ttl = 64,
		.ts_ns = w->now_ns,
		.tcp_flags = flags,
		.seq = w->first[side] + (uint32_t)seq,
		.ack = flags & TCP_ACK ? w->first[peer] + (uint32_t)ack : 0,
		.window = w->window ? w->window : 0xffff,
		.payload_len = len,
		.payload = zeros,
		.tcp_header_len = 20};
	p.ip_id = w->same_ip_id ? w->ip_id[side] : ++w->ip_id[side];
	if (w->has_timestamps) {
		p.has_timestamps = true;
		p.tsval = w->tsval ? w->tsval : (uint32_t)(w->now_ns / MS);
		p.tsecr = (uint32_t)(w->now_ns / MS) - RTT_MS / 2;
	}
	if (w->sack[0] != w->sack[1]) {
		p.sack_count = 1;
		p.sack[0] =
			(TcpSackBlock){w->first[peer] + w->sack[0], w->first[peer] + w->sack[1]};
	}
	return p;
}

static SegmentClass put(
	Wire *w, int64_t after_ms, Side side, uint8_t flags, int64_t seq, int64_t ack, uint32_t len)
{
	w->now_ns += after_ms * MS;
	Packet p = packet_of(w, side, flags, seq, ack, len);
	tcp_connection_step(&w->tcp, side, &p, &w->step);
	w->tsval = 0;
	w->sack[0] = w->sack[1] = 0;
	w->same_ip_id = false;
	return w->step.segment;
}

static SegmentClass data(Wire *w, int64_t after_ms, int64_t seq)
{
	return put(w, after_ms, SIDE_CLIENT, TCP_ACK, seq, 0, MSS);
}

static void ack(Wire *w, int64_t after_ms, int64_t upto)
{
	put(w, after_ms, SIDE_SERVER, TCP_ACK, 0, upto, 0);
}

static void wire_start(Wire *w, uint32_t first)
{
	memset(w, 0, sizeof(*w));
	tcp_connection_init(&w->tcp);
	w->now_ns = 1000 * SECOND_NS;
	w->first[SIDE_CLIENT] = first;
	w->first[SIDE_SERVER] = first + 77;
}

/* connected, with a round trip known and @segments sent and confirmed */
static void wire_open(Wire *w, uint32_t first, int segments)
{
	wire_start(w, first);
	put(w, 0, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	put(w, RTT_MS, SIDE_SERVER, TCP_SYN | TCP_ACK, -1, 0, 0);
	put(w, 0, SIDE_CLIENT, TCP_ACK, 0, 0, 0);
	for (int i = 0; i < segments; i++) {
		cr_assert_eq(data(w, 1, (int64_t)i * MSS), SEGMENT_NEW);
		ack(w, RTT_MS, (int64_t)(i + 1) * MSS);
	}
}

/* a segment of the client's with these time stamps */
static void stamped(Wire *w, int64_t after_ms, int64_t seq, uint32_t tsval, uint32_t tsecr)
{
	w->now_ns += after_ms * MS;
	Packet p = packet_of(w, SIDE_CLIENT, TCP_ACK, seq, 0, MSS);
	p.has_timestamps = true;
	p.tsval = tsval;
	p.tsecr = tsecr;
	tcp_connection_step(&w->tcp, SIDE_CLIENT, &p, &w->step);
}

static void stamped_ack(Wire *w, int64_t after_ms, int64_t upto, uint32_t tsval, uint32_t tsecr)
{
	w->now_ns += after_ms * MS;
	Packet p = packet_of(w, SIDE_SERVER, TCP_ACK, 0, upto, 0);
	p.has_timestamps = true;
	p.tsval = tsval;
	p.tsecr = tsecr;
	tcp_connection_step(&w->tcp, SIDE_SERVER, &p, &w->step);
}

static void wire_end(Wire *w)
{
	tcp_connection_clear(&w->tcp);
}

static const TcpDirection *client(const Wire *w)
{
	return &w->tcp.dir[SIDE_CLIENT];
}

Test(connection, handshake_and_wrapping_numbers)
{
	static const uint32_t firsts[] = {0, 5000, UINT32_MAX - 1500, UINT32_MAX, INT32_MAX};
	for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
		Wire w;
		wire_open(&w, firsts[i], 5);
		cr_assert(w.tcp.handshake_seen && w.tcp.state == TCP_STATE_OPEN);
		cr_assert(client(&w)->next == 5 * MSS && client(&w)->una == 5 * MSS);
		cr_assert_eq(client(&w)->unique_bytes, 5 * MSS);
		cr_assert_eq(client(&w)->retransmitted_packets, 0);
		cr_assert_eq(tcp_rtt_ns(&w.tcp), RTT_MS * MS);
		wire_end(&w);
	}
}

Test(connection, which_repair)
{
	Wire w;
	/* three duplicates report it */
	wire_open(&w, 1, 10);
	for (int i = 0; i < 5; i++)
		data(&w, 0, 10000 + i * MSS);
	ack(&w, RTT_MS, 10000);
	ack(&w, 0, 10000);
	ack(&w, 0, 10000);
	ack(&w, 0, 10000);
	cr_assert(w.step.is_duplicate_ack);
	cr_assert_eq(data(&w, 1, 10000), SEGMENT_RETRANSMISSION);
	cr_assert_eq(w.step.retransmission, RETRANSMISSION_FAST);
	cr_assert(client(&w)->fast_retransmissions == 1 && client(&w)->in_recovery);
	wire_end(&w);
	/* one SACK and the time are enough for RACK (RFC 8985 6.2) */
	wire_open(&w, 1, 10);
	for (int i = 0; i < 3; i++)
		data(&w, 0, 10000 + i * MSS);
	w.sack[0] = 11000, w.sack[1] = 13000;
	ack(&w, RTT_MS, 10000);
	cr_assert_eq(data(&w, 6, 10000), SEGMENT_RETRANSMISSION);
	cr_assert_eq(w.step.retransmission, RETRANSMISSION_FAST);
	wire_end(&w);
	/* nothing is heard: a probe after two round trips (RFC 8985 7.2) */
	wire_open(&w, 1, 10);
	data(&w, 0, 10000);
	cr_assert_eq(data(&w, 2 * RTT_MS + 2, 10000), SEGMENT_RETRANSMISSION);
	cr_assert_eq(w.step.retransmission, RETRANSMISSION_TAIL_PROBE);
	cr_assert_eq(client(&w)->tail_probes, 1);
	wire_end(&w);
	/* or the timer */
	wire_open(&w, 1, 10);
	data(&w, 0, 10000);
	cr_assert_eq(data(&w, 230, 10000), SEGMENT_RETRANSMISSION);
	cr_assert_eq(w.step.retransmission, RETRANSMISSION_TIMEOUT);
	cr_assert_eq(client(&w)->timeouts, 1);
	wire_end(&w);
}

Test(connection, sent_again_for_nothing)
{
	Wire w;
	wire_open(&w, 1, 10);
	/* all of it was confirmed already */
	cr_assert_eq(data(&w, 300, 9000), SEGMENT_RETRANSMISSION);
	cr_assert_eq(client(&w)->spurious_inferred, 1);
	wire_end(&w);
	/* the answer carries the time stamp of the original (RFC 3522) */
	wire_open(&w, 1, 0);
	w.has_timestamps = true;
	for (int i = 0; i < 10; i++) {
		data(&w, 1, (int64_t)i * MSS);
		ack(&w, RTT_MS, (int64_t)(i + 1) * MSS);
	}
	data(&w, 1, 10000);
	data(&w, 230, 10000);
	w.now_ns += 5 * MS;
	Packet p = packet_of(&w, SIDE_SERVER, TCP_ACK, 0, 11000, 0);
	p.tsecr = (uint32_t)(w.now_ns / MS) - 235;
	tcp_connection_step(&w.tcp, SIDE_SERVER, &p, &w.step);
	cr_assert_eq(client(&w)->spurious_inferred, 1);
	wire_end(&w);
	/* D-SACK says so itself (RFC 2883) */
	wire_open(&w, 1, 10);
	data(&w, 1, 10000);
	data(&w, 230, 10000);
	w.sack[0] = 10000, w.sack[1] = 11000;
	ack(&w, RTT_MS, 11000);
	cr_assert_eq(client(&w)->spurious, 1);
	wire_end(&w);
}

Test(connection, round_trips_of_more_than_is_remembered)
{
	Wire w;
	wire_open(&w, 100, 1);
	int64_t sent = MSS, una = MSS;
	uint64_t before = w.tcp.dir[SIDE_CLIENT].rtt_samples;
	/* a thousand segments under way, one acknowledged for each that is sent: a second's queue
	 */
	for (int i = 0; i < 3000; i++, sent += MSS) {
		data(&w, 1, sent);
		if (i < 1000)
			continue;
		una += MSS;
		ack(&w, 0, una);
	}
	TcpDirection *d = &w.tcp.dir[SIDE_CLIENT];
	cr_assert_gt(d->rtt_samples, before + 100);
	cr_assert_geq(d->rtt_now.min, 1000 * MS);
	cr_assert_leq(d->rtt_now.min, 1001 * MS);
	for (uint32_t i = 0; tcp_send_record(d, i + 1); i++)
		cr_assert_geq(tcp_send_record(d, i)->end, tcp_send_record(d, i + 1)->end);
	wire_end(&w);
}

Test(connection, a_needless_repair_is_no_loss)
{
	Wire w;
	wire_open(&w, 100, 3);
	data(&w, 1, 3 * MSS);
	cr_assert_eq(data(&w, 60, 3 * MSS), SEGMENT_RETRANSMISSION);
	cr_assert_neq(w.tcp.dir[SIDE_CLIENT].last_loss_ns, 0);
	ack(&w, RTT_MS - 1, 4 * MSS);
	w.sack[0] = 3 * MSS, w.sack[1] = 4 * MSS; /* RFC 2883: it had it */
	ack(&w, 1, 4 * MSS);
	cr_assert_eq(w.tcp.dir[SIDE_CLIENT].last_loss_ns, 0);
	/* one that was needed stays */
	data(&w, 1, 4 * MSS);
	data(&w, 60, 4 * MSS);
	ack(&w, RTT_MS, 5 * MSS);
	cr_assert_neq(w.tcp.dir[SIDE_CLIENT].last_loss_ns, 0);
	wire_end(&w);
}

Test(connection, two_clocks_against_one)
{
	Wire w;
	wire_open(&w, 5000, 0);
	uint32_t clock = 100;
	int64_t seq = 0;
	for (int i = 0; i < 30; i++, seq += MSS, clock += 10) {
		stamped(&w, 5, seq, clock, 500);
		stamped_ack(&w, 5, seq + MSS, clock + 400, clock);
	}
	/* the sender's clock stood while two seconds passed, the receiver's did not */
	stamped(&w, 1995, seq, clock, clock + 390);
	cr_assert(w.step.clock_jumped);
	cr_assert_eq(w.tcp.clock_jumps, 1);
	stamped_ack(&w, 5, seq + MSS, clock + 2390, clock);
	cr_assert(w.step.clock_ran);
	cr_assert_eq(w.tcp.clock_jumps, 0);
	wire_end(&w);
}

Test(connection, late_or_lost)
{
	Wire w;
	/* filled before anybody could have known of the hole */
	wire_open(&w, 1, 10);
	data(&w, 1, 11000);
	cr_assert_eq(client(&w)->hole_count, 1);
	cr_assert_eq(data(&w, 5, 10000), SEGMENT_REORDERED);
	cr_assert(client(&w)->reordered == 1 && client(&w)->retransmitted_packets == 0 &&
		  client(&w)->hole_count == 0);
	wire_end(&w);
	/* later than that, but with an IP ID from before */
	wire_open(&w, 1, 100);
	w.ip_id[SIDE_CLIENT]++;
	data(&w, 1, 101000);
	w.now_ns += 30 * MS;
	Packet p = packet_of(&w, SIDE_CLIENT, TCP_ACK, 100000, 0, MSS);
	p.ip_id = (uint16_t)(p.ip_id - 2);
	tcp_connection_step(&w.tcp, SIDE_CLIENT, &p, &w.step);
	cr_assert_eq(w.step.segment, SEGMENT_REORDERED);
	wire_end(&w);
	wire_open(&w, 1, 14);
	/* a repair of what was lost before it came here */
	data(&w, 1, 15000);
	cr_assert_eq(data(&w, 30, 14000), SEGMENT_RETRANSMISSION_UPSTREAM);
	cr_assert_eq(client(&w)->upstream_losses, 1);
	wire_end(&w);
	/* confirmed first: the capture put the acknowledgement before the data, the network did not
	 */
	wire_open(&w, 1, 10);
	uint64_t before = client(&w)->reordered;
	ack(&w, 1, 11000);
	cr_assert_eq(data(&w, 0, 10000), SEGMENT_REORDERED);
	cr_assert_eq(client(&w)->reordered, before);
	wire_end(&w);
}

Test(connection, lost_before_it_could_be_seen)
{
	/* the answer was lost on its way here; the host's next acknowledgement tells that it had
	 * been sent, the timer repairs it */
	Wire w;
	wire_open(&w, 1, 10);
	cr_assert_eq(put(&w, 5, SIDE_CLIENT, TCP_ACK, 11000, 0, 0), SEGMENT_NONE);
	cr_assert_eq(data(&w, 230, 10000), SEGMENT_RETRANSMISSION_UPSTREAM);
	cr_assert_eq(w.step.retransmission, RETRANSMISSION_TIMEOUT);
	cr_assert(client(&w)->timeouts == 1 && client(&w)->unique_bytes == 11000 &&
		  client(&w)->next == 11000);
	/* the same in a moment is a matter of order alone */
	put(&w, 5, SIDE_CLIENT, TCP_ACK, 12000, 0, 0);
	cr_assert_eq(data(&w, 0, 11000), SEGMENT_NEW);
	cr_assert_eq(data(&w, 300, 12000), SEGMENT_NEW);
	wire_end(&w);
	/* before any data the handshake tells where they begin */
	wire_open(&w, 1, 0);
	put(&w, 500, SIDE_CLIENT, TCP_ACK, 5000, 0, 0);
	cr_assert(client(&w)->bare_next == 5000 && client(&w)->next == 0);
	wire_end(&w);
	wire_start(&w, 1);
	put(&w, 0, SIDE_CLIENT, TCP_ACK, 0, 0, 0);
	put(&w, 500, SIDE_CLIENT, TCP_ACK, 5000, 0, 0);
	cr_assert_eq(client(&w)->bare_next, 0);
	wire_end(&w);
	/* a FIN has a number of its own, and is no byte */
	wire_open(&w, 1, 10);
	put(&w, 1, SIDE_CLIENT, TCP_ACK | TCP_FIN, 10000, 0, 0);
	put(&w, 1, SIDE_CLIENT, TCP_ACK, 10001, 0, 0);
	cr_assert(client(&w)->bare_next <= client(&w)->next);
	wire_end(&w);
}

Test(connection, missing_in_the_capture_alone)
{
	Wire w;
	wire_open(&w, 1, 10);
	data(&w, 1, 12000);
	ack(&w, RTT_MS, 13000);
	cr_assert_eq(tcp_uncaptured_bytes(client(&w)), 2000);
	data(&w, 20, 13000); /* ten milliseconds later it is given up */
	cr_assert(w.step.gap_from == 10000 && w.step.gap_to == 12000 &&
		  w.step.gap_side == SIDE_CLIENT);
	cr_assert_eq(client(&w)->retransmitted_packets, 0);
	/* gigabytes may be missing: both sides agree on how many */
	int64_t far = 14000 + INT64_C(1900) * 1000 * 1000;
	ack(&w, 1000, far);
	cr_assert_eq(data(&w, 1, far), SEGMENT_NEW);
	ack(&w, RTT_MS, far + MSS);
	cr_assert_eq(client(&w)->next, far + MSS);
	cr_assert_eq(tcp_uncaptured_bytes(client(&w)), (uint64_t)(far - 14000 + 2000));
	wire_end(&w);
}

Test(connection, overlaps)
{
	Wire w;
	wire_open(&w, 1, 10);
	/* seven bytes too early, at once, and new otherwise */
	data(&w, 1, 10000);
	cr_assert_eq(put(&w, 0, SIDE_CLIENT, TCP_ACK, 10000 + MSS - 7, 0, MSS), SEGMENT_NEW);
	cr_assert_eq(client(&w)->next, 10000 + 2 * MSS - 7);
	cr_assert_eq(client(&w)->retransmitted_packets, 0);
	/* a timer later it may be a tail with new data behind it */
	cr_assert_eq(put(&w, 5000, SIDE_CLIENT, TCP_ACK, 10000 + 2 * MSS - 107, 0, MSS),
		SEGMENT_RETRANSMISSION);
	wire_end(&w);
}

Test(connection, copies)
{
	Wire w;
	wire_open(&w, 1, 10);
	data(&w, 1, 10000);
	w.same_ip_id = true;
	cr_assert_eq(put(&w, 0, SIDE_CLIENT, TCP_ACK, 10000, 0, MSS), SEGMENT_COPY);
	/* a mirror or router that is milliseconds late: the IP ID is the same, so it is the packet
	 */
	data(&w, 1, 11000);
	w.same_ip_id = true;
	cr_assert_eq(put(&w, 18, SIDE_CLIENT, TCP_ACK, 11000, 0, MSS), SEGMENT_COPY);
	cr_assert(client(&w)->copies == 2 && client(&w)->retransmitted_packets == 0);
	/* one of them was taken before a card computed its checksum */
	ack(&w, 1, 11000 + MSS);
	w.same_ip_id = true;
	Packet copy = packet_of(&w, SIDE_SERVER, TCP_ACK, 0, 11000 + MSS, 0);
	copy.checksum ^= 0x5555;
	tcp_connection_step(&w.tcp, SIDE_SERVER, &copy, &w.step);
	cr_assert_eq(w.step.segment, SEGMENT_COPY);
	/* sent again, it has a number of its own */
	cr_assert_eq(data(&w, 18, 11000), SEGMENT_RETRANSMISSION);
	wire_end(&w);
}

Test(connection, keep_alives_and_probes)
{
	Wire w;
	wire_open(&w, 1, 10);
	cr_assert_eq(put(&w, 5000, SIDE_CLIENT, TCP_ACK, 9999, 0, 0), SEGMENT_KEEP_ALIVE);
	cr_assert_eq(put(&w, 5000, SIDE_CLIENT, TCP_ACK, 9999, 0, 1), SEGMENT_KEEP_ALIVE);
	cr_assert(client(&w)->keep_alives == 2 && client(&w)->retransmitted_packets == 0);
	/* the receiver closes its window; one byte at a time asks whether it has opened */
	data(&w, 1, 10000);
	w.now_ns += RTT_MS * MS;
	Packet p = packet_of(&w, SIDE_SERVER, TCP_ACK, 0, 11000, 0);
	p.window = 0;
	tcp_connection_step(&w.tcp, SIDE_SERVER, &p, &w.step);
	cr_assert(w.step.zero_window && w.tcp.dir[SIDE_SERVER].zero_windows == 1);
	cr_assert_eq(put(&w, 300, SIDE_CLIENT, TCP_ACK, 11000, 0, 1), SEGMENT_PROBE);
	cr_assert_eq(client(&w)->retransmitted_packets, 0);
	ack(&w, RTT_MS, 11000);
	cr_assert_geq(w.tcp.dir[SIDE_SERVER].zero_window_ns, 300 * MS);
	/* the probe's byte was refused and comes again with others */
	cr_assert_eq(data(&w, 1, 11000), SEGMENT_NEW);
	wire_end(&w);
}

Test(connection, window_scale_without_a_handshake)
{
	Wire w;
	wire_start(&w, 1);
	w.window = 500;
	put(&w, 0, SIDE_SERVER, TCP_ACK, 0, 0, 0);
	cr_assert_eq(client(&w)->peer_window, 500);
	cr_assert_not(tcp_window_is_trusted(&w.tcp, SIDE_CLIENT));
	/* eight segments under way: 500 cannot have been bytes, 500 << 4 can */
	for (int i = 0; i < 8; i++)
		data(&w, 0, i * MSS);
	cr_assert_eq(w.tcp.dir[SIDE_SERVER].scale_in_force, 4);
	cr_assert_eq(client(&w)->peer_window, 8000);
	cr_assert(tcp_window_is_trusted(&w.tcp, SIDE_CLIENT));
	wire_end(&w);
	/* only one side has the option: nothing is scaled (RFC 7323 2.2) */
	wire_start(&w, 1);
	Packet p = packet_of(&w, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	p.has_window_scale = true;
	p.window_scale = 7;
	tcp_connection_step(&w.tcp, SIDE_CLIENT, &p, &w.step);
	put(&w, RTT_MS, SIDE_SERVER, TCP_SYN | TCP_ACK, -1, 0, 0);
	cr_assert(w.tcp.dir[SIDE_CLIENT].scale_in_force == 0 && w.tcp.dir[SIDE_CLIENT].scale_known);
	wire_end(&w);
}

Test(connection, how_long_a_segment_was_under_way)
{
	Wire w;
	wire_open(&w, 5000, 0);
	stamped(&w, 0, 0, 100, 500);
	stamped_ack(&w, 1, MSS, 501, 100);
	/* sent before that acknowledgement reached the sender: 10, 20, 30 ms after it passed here
	 */
	for (int i = 1; i <= 3; i++) {
		stamped(&w, 10, (int64_t)i * MSS, 100 + (uint32_t)i, 500);
		cr_assert_eq(w.step.under_way_ns, i * 10 * MS);
	}
	/* the first that knows of it: the last that did not had been under way so long */
	stamped(&w, 10, 4 * MSS, 104, 501);
	cr_assert_eq(w.step.under_way_ns, 30 * MS);
	/* nothing is known of one that comes after a pause with the newest echo */
	stamped_ack(&w, 1, 5 * MSS, 545, 104);
	stamped(&w, 3000, 5 * MSS, 3104, 545);
	cr_assert_eq(w.step.under_way_ns, 0);
	wire_end(&w);
}

Test(connection, an_echo_that_stands_still_proves_nothing)
{
	Wire w;
	wire_open(&w, 5000, 0);
	stamped(&w, 0, 0, 100, 500);
	stamped_ack(&w, 1, MSS, 501, 100);
	/* the window in force until that one ends at 65,535 */
	int64_t seq = MSS;
	for (; seq + MSS <= 0xffff; seq += MSS) {
		stamped(&w, 10, seq, 101, 500);
		cr_assert_gt(w.step.under_way_ns, 0);
	}
	stamped_ack(&w, 1, seq, 502, 101);
	/* who sends more knows what came since, and echoes the old stamp all the same */
	for (int i = 0; i < 3; i++, seq += MSS) {
		stamped(&w, 10, seq, 102, 500);
		cr_assert_eq(w.step.under_way_ns, 0);
	}
	wire_end(&w);
}

Test(connection, whether_a_pause_was_the_senders)
{
	Wire w;
	wire_open(&w, 5000, 0);
	uint32_t clock = 100;
	int64_t seq = 0;
	for (int i = 0; i < 30; i++, seq += MSS, clock += 10) {
		stamped(&w, 5, seq, clock, 500);
		stamped_ack(&w, 5, seq + MSS, 500, clock);
	}
	/* its clock moved on with ours: sent after the pause, nothing before it was lost */
	clock += 1990;
	stamped(&w, 1995, seq, clock, 500);
	cr_assert(w.step.is_fresh);
	cr_assert(w.step.none_unseen);
	/* its clock did not: sent before the pause and held up on the way */
	seq += MSS;
	stamped(&w, 900, seq, clock + 5, 500);
	cr_assert_not(w.step.is_fresh);
	/* three packets in between were never seen */
	seq += MSS;
	clock += 2900;
	w.ip_id[SIDE_CLIENT] += 3;
	stamped(&w, 2000, seq, clock, 500);
	cr_assert_not(w.step.none_unseen);
	wire_end(&w);
}

Test(connection, half_open_refused_and_reset)
{
	Wire w;
	wire_start(&w, 1);
	put(&w, 0, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	put(&w, 1000, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	put(&w, 2000, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	cr_assert(
		w.tcp.syn_tries == 3 && w.tcp.state == TCP_STATE_SYN && w.tcp.established_ns == 0);
	cr_assert_eq(client(&w)->retransmitted_packets, 0, "a SYN is no data");
	put(&w, 10, SIDE_SERVER, TCP_RST | TCP_ACK, 0, 0, 0);
	cr_assert(w.tcp.state == TCP_STATE_RESET && w.step.closes);
	wire_end(&w);
	wire_open(&w, 1, 3);
	put(&w, 1, SIDE_CLIENT, TCP_FIN | TCP_ACK, 3000, 0, 0);
	cr_assert_eq(w.tcp.state, TCP_STATE_CLOSING);
	/* the other side goes on, as it may (RFC 9293 3.6) */
	cr_assert_eq(put(&w, 1, SIDE_SERVER, TCP_ACK, 0, 3001, MSS), SEGMENT_NEW);
	put(&w, 1, SIDE_SERVER, TCP_FIN | TCP_ACK, MSS, 3001, 0);
	cr_assert_eq(w.tcp.state, TCP_STATE_CLOSED);
	cr_assert_eq(client(&w)->una, 3000, "a FIN is no byte");
	wire_end(&w);
}

Test(connection, opened_from_both_sides)
{
	/* RFC 9293 3.5, figure 7 */
	Wire w;
	wire_start(&w, 1);
	put(&w, 0, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	put(&w, 5, SIDE_SERVER, TCP_SYN, -1, 0, 0);
	put(&w, 0, SIDE_CLIENT, TCP_SYN | TCP_ACK, -1, 0, 0);
	put(&w, 10, SIDE_SERVER, TCP_SYN | TCP_ACK, -1, 0, 0);
	cr_assert_eq(data(&w, 1, 0), SEGMENT_NEW);
	cr_assert_eq(put(&w, 1, SIDE_SERVER, TCP_ACK, 0, MSS, MSS), SEGMENT_NEW);
	cr_assert_eq(w.tcp.state, TCP_STATE_OPEN);
	cr_assert(client(&w)->next == MSS && client(&w)->una == MSS &&
		  w.tcp.dir[SIDE_SERVER].next == MSS);
	cr_assert_eq(client(&w)->retransmitted_packets, 0);
	wire_end(&w);
}

Test(connection, time_stamps_protect_against_wrapped_numbers)
{
	Wire w;
	wire_open(&w, 1, 0);
	w.has_timestamps = true;
	for (int i = 0; i < 10; i++) {
		data(&w, 1, (int64_t)i * MSS);
		ack(&w, RTT_MS, (int64_t)(i + 1) * MSS);
	}
	/* new by its number, four seconds old by its stamp: a receiver drops it (RFC 7323 5.3) */
	w.tsval = (uint32_t)(w.now_ns / MS) - 4000;
	cr_assert_eq(put(&w, 1, SIDE_CLIENT, TCP_ACK, 25000, 0, MSS), SEGMENT_NONE);
	cr_assert(client(&w)->next == 10000 && client(&w)->hole_count == 0 &&
		  w.tcp.out_of_window_packets == 1);
	cr_assert_eq(data(&w, 1, 10000), SEGMENT_NEW);
	/* a device that sets the clock back for good is not fought for ever */
	for (int i = 0; i < 6; i++) {
		w.tsval = 5000 + (uint32_t)i;
		put(&w, 1, SIDE_CLIENT, TCP_ACK, 11000 + i * MSS, 0, MSS);
	}
	cr_assert_eq(w.step.segment, SEGMENT_NEW);
	cr_assert_eq(client(&w)->next, 17000);
	wire_end(&w);
}

Test(connection, one_direction_alone)
{
	Wire w;
	/* data without acknowledgements */
	wire_start(&w, 1);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(data(&w, 1, (int64_t)i * MSS), SEGMENT_NEW);
	cr_assert(client(&w)->unique_bytes == 100 * MSS && client(&w)->retransmitted_packets == 0 &&
		  tcp_rtt_ns(&w.tcp) == 0);
	wire_end(&w);
	/* acknowledgements without data: how much moved is known all the same */
	wire_start(&w, 1);
	for (int i = 0; i < 100; i++)
		ack(&w, 20, (int64_t)i * MSS);
	cr_assert_eq(tcp_uncaptured_bytes(client(&w)), 99 * MSS);
	wire_end(&w);
}

Test(connection, ports_are_used_again)
{
	Wire w;
	wire_open(&w, 1000, 2);
	static Conversation conv;
	memset(&conv, 0, sizeof(conv));
	conv.tcp = w.tcp;
	conv.port[SIDE_CLIENT] = 40000;
	conv.port[SIDE_SERVER] = 445;
	Packet p = packet_of(&w, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
	p.src_port = 40000;
	p.dst_port = 445;
	cr_assert_not(tracker_is_reuse(&conv, &p), "the same SYN once more");
	p.seq += 12345;
	cr_assert(tracker_is_reuse(&conv, &p));
	p.tcp_flags |= TCP_ACK;
	cr_assert_not(tracker_is_reuse(&conv, &p), "an answer opens nothing");
	wire_end(&w);
}

/* ---- copies from another place of capture */

#define FIRST_FEW 20

/* Packets that the client sends every millisecond, each again @lag_ms later; returns what was taken
 * for something else than a copy. */
static unsigned late_copies(Wire *w, int lag_ms, int count, bool numbered)
{
	static Packet sent[1000];
	unsigned wrong = 0;
	cr_assert_leq(count + 2 * lag_ms, 1000);
	for (int i = 0; i < count + 2 * lag_ms; i++) {
		w->now_ns += MS;
		/* a few at first, as connections begin: how late copies are is learned from them */
		sent[i].payload_len = 0;
		if (i < FIRST_FEW || (i >= lag_ms + FIRST_FEW && i < count + lag_ms)) {
			int64_t seq = (int64_t)(i < FIRST_FEW ? i : i - lag_ms) * MSS;
			sent[i] = packet_of(w, SIDE_CLIENT, TCP_ACK, seq, 0, MSS);
			if (!numbered)
				sent[i].ip_version = 6, sent[i].ip_id = 0;
			tcp_connection_step(&w->tcp, SIDE_CLIENT, &sent[i], &w->step);
		}
		if (i < lag_ms || sent[i - lag_ms].payload_len == 0)
			continue;
		Packet copy = sent[i - lag_ms];
		copy.ts_ns = w->now_ns;
		tcp_connection_step(&w->tcp, SIDE_CLIENT, &copy, &w->step);
		wrong += w->step.segment != SEGMENT_COPY;
	}
	return wrong;
}

Test(connection, copies_from_the_other_end_come_late)
{
	for (int numbered = 0; numbered < 2; numbered++) {
		Wire w;
		wire_open(&w, 1, 0);
		w.has_timestamps = true;
		cr_assert_eq(late_copies(&w, 150, 300, numbered), 0, "numbered %d", numbered);
		cr_assert_eq(client(&w)->copies, 300);
		cr_assert_eq(client(&w)->retransmitted_packets, 0);
		cr_assert_gt(client(&w)->recent_mask + 1, 150, "as many are remembered");
		cr_assert_leq(client(&w)->recent_mask + 1, TCP_RECENT_MAX);
		wire_end(&w);
	}
}

Test(connection, repetitions_are_no_copies)
{
	Wire w;
	wire_open(&w, 1, 0);
	w.has_timestamps = true;
	for (int i = 0; i < 20; i++)
		data(&w, 1, (int64_t)i * MSS);
	/* sent again, with a number and a time stamp of its own */
	cr_assert_eq(data(&w, 40, 5 * MSS), SEGMENT_RETRANSMISSION);
	/* without time stamps the same number much later proves nothing */
	w.has_timestamps = false;
	data(&w, 1, 20 * MSS);
	w.same_ip_id = true;
	cr_assert_eq(data(&w, 250, 20 * MSS), SEGMENT_RETRANSMISSION);
	wire_end(&w);
}

Test(connection, a_syn_that_lost_its_option_between_two_places)
{
	for (int kept = 0; kept < 2; kept++) {
		Wire w;
		wire_start(&w, 1);
		Packet syn = packet_of(&w, SIDE_CLIENT, TCP_SYN, -1, 0, 0);
		syn.has_window_scale = true;
		syn.window_scale = 7;
		tcp_connection_step(&w.tcp, SIDE_CLIENT, &syn, &w.step);
		syn.has_window_scale = kept;
		syn.frame = 2;
		syn.ts_ns += MS / 2;
		tcp_connection_step(&w.tcp, SIDE_CLIENT, &syn, &w.step);
		cr_assert_eq(w.step.segment, SEGMENT_COPY);
		cr_assert_eq(w.tcp.scale_stripped_frame, kept ? 0 : 2);
		wire_end(&w);
	}
}

/* ---- header prediction: the short way and the long way do the same */

static void same_direction(const TcpDirection *a, const TcpDirection *b, unsigned round, int n)
{
	TcpDirection x = *a, y = *b;
	cr_assert_eq(!a->acks, !b->acks);
	for (uint32_t i = 0; a->acks && i <= a->acks_mask && i < a->acks_head; i++) {
		const AckEvent *e = &a->acks[i], *f = &b->acks[i];
		cr_assert(e->ts_ns == f->ts_ns && e->ack == f->ack && e->edge == f->edge &&
				  e->window == f->window && e->ack_advanced == f->ack_advanced &&
				  e->edge_advanced == f->edge_advanced && e->is_pure == f->is_pure,
			"round %u packet %d event %u", round, n, i);
	}
	for (uint32_t i = 0; a->sends && i <= a->sends_mask && i < a->sends_head; i++) {
		const SendRecord *r = &a->sends[i], *s = &b->sends[i];
		cr_assert(r->ts_ns == s->ts_ns && r->end == s->end && r->len == s->len &&
				  r->retransmitted == s->retransmitted,
			"round %u packet %d segment %u", round, n, i);
	}
	if (a->recent)
		cr_assert_arr_eq(a->recent, b->recent, (a->recent_mask + 1) * 2 * sizeof(uint64_t));
	if (a->hole_count > 0)
		cr_assert_arr_eq(&a->holes[0].from, &b->holes[0].from, sizeof(int64_t));
	x.acks = y.acks = NULL;
	x.sends = y.sends = NULL;
	x.recent = y.recent = NULL;
	x.holes = y.holes = NULL;
	x.loss_log = y.loss_log = NULL;
	cr_assert(memcmp(&x, &y, sizeof(x)) == 0, "round %u packet %d", round, n);
}

/* One of the packets that keep a connection steady, or, now and then, one that does not. */
static Packet some_packet(Wire *w, Random *random, int64_t next[2], int64_t acked[2])
{
	Side side = random_below(random, 3) == 0 ? SIDE_SERVER : SIDE_CLIENT;
	Side peer = side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	uint64_t odd = random_below(random, 60);
	int64_t seq = next[side];
	uint32_t len = random_below(random, 5) < 3 ? MSS : 0;
	uint8_t flags = TCP_ACK | (random_below(random, 4) == 0 ? TCP_PSH : 0);
	w->now_ns += random_between(random, 0, odd == 0 ? 400 * MS : 2 * MS);
	if (random_below(random, 2) && next[peer] > acked[side])
		acked[side] += random_between(random, 1, next[peer] - acked[side]);
	int64_t upto = acked[side];
	if (odd == 1)
		seq += MSS; /* a hole */
	if (odd == 2 && seq > 3 * MSS)
		seq -= random_between(random, 1, 3) * MSS;
	if (odd == 3)
		upto = upto > MSS ? upto - MSS : upto;
	if (odd == 4)
		w->window = (uint16_t)random_below(random, 3000);
	if (odd == 5 || odd == 6)
		w->window = 0xfff0;
	if (odd == 7 && next[peer] > acked[side] + 2 * MSS) {
		w->sack[0] = (uint32_t)(acked[side] + MSS);
		w->sack[1] = (uint32_t)(acked[side] + 2 * MSS);
	}
	if (odd == 8)
		flags |= TCP_ECE;
	if (odd == 9)
		w->has_timestamps = !w->has_timestamps;
	if (odd == 10)
		w->same_ip_id = true;
	if (odd == 11)
		len = 1;
	if (odd == 12 && random_below(random, 20) == 0)
		flags |= TCP_FIN;
	if (odd == 13 && random_below(random, 20) == 0)
		flags |= TCP_RST;
	Packet p = packet_of(w, side, flags, seq, upto, len);
	p.direction = side == SIDE_CLIENT ? PACKET_DIRECTION_OUT : PACKET_DIRECTION_IN;
	if (odd == 14)
		p.ttl = 63;
	if (odd == 15)
		p.ecn = 3;
	if (seq + len > next[side])
		next[side] = seq + len;
	w->sack[0] = w->sack[1] = 0;
	w->same_ip_id = false;
	return p;
}

Test(connection, predicted_packets_do_what_all_do)
{
	Random random = random_start();
	uint64_t steady = 0;
	for (unsigned round = 0; round < 150; round++) {
		Wire w;
		wire_open(&w, (uint32_t)random_next(&random), 0);
		w.has_timestamps = random_below(&random, 2);
		TcpConnection full;
		tcp_connection_init(&full);
		full.is_never_steady = true;
		TcpStep step;
		int64_t next[2] = {0, 0}, acked[2] = {0, 0};
		tcp_connection_clear(&w.tcp);
		tcp_connection_init(&w.tcp);
		for (int n = 0; n < 400; n++) {
			Side side;
			Packet p = n == 0 ? packet_of(&w, SIDE_CLIENT, TCP_SYN, -1, 0, 0)
				   : n == 1
					   ? packet_of(&w, SIDE_SERVER, TCP_SYN | TCP_ACK, -1, 0, 0)
				   : n == 2 ? packet_of(&w, SIDE_CLIENT, TCP_ACK, 0, 0, 0)
					    : some_packet(&w, &random, next, acked);
			/* some connections are seen from the middle only */
			if (n < 3 && round % 5 == 0)
				continue;
			side = n == 0 || n == 2                      ? SIDE_CLIENT
			       : n == 1                              ? SIDE_SERVER
			       : p.direction == PACKET_DIRECTION_OUT ? SIDE_CLIENT
								     : SIDE_SERVER;
			steady += w.tcp.is_steady;
			tcp_connection_step(&w.tcp, side, &p, &w.step);
			tcp_connection_step(&full, side, &p, &step);
			cr_assert(memcmp(&w.step, &step, sizeof(step)) == 0, "round %u packet %d",
				round, n);
			for (int i = 0; i < 2; i++)
				same_direction(&w.tcp.dir[i], &full.dir[i], round, n);
			cr_assert(memcmp(w.tcp.loop_ns, full.loop_ns, sizeof(full.loop_ns)) == 0);
			cr_assert(
				memcmp(w.tcp.loop_now, full.loop_now, sizeof(full.loop_now)) == 0);
			cr_assert(w.tcp.last_ns == full.last_ns && w.tcp.state == full.state &&
				  w.tcp.established_ns == full.established_ns &&
				  w.tcp.out_of_window_packets == full.out_of_window_packets &&
				  w.tcp.middlebox == full.middlebox &&
				  memcmp(w.tcp.direction_hint, full.direction_hint, 2) == 0);
		}
		tcp_connection_clear(&full);
		wire_end(&w);
	}
	cr_assert_gt(steady, 20000, "most packets met a steady connection");
}
