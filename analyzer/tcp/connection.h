/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One TCP connection while packets of it arrive: both directions as the capture point sees them,
 * and as each sender knows them (acknowledgements applied one loop later, docs/architecture.md,
 * "Life of a packet"). It classifies segments and measures; it blames nobody: that is
 * transfer/gap.c. RFC 9293, RFC 7323, RFC 2018, RFC 6298.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_CONNECTION_H
#define SLOWCOPY_ANALYZER_TCP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/side.h"
#include "analyzer/tcp/loss_log.h"
#include "dissectors/packet.h"

/* Entries of the acknowledgement and segment histories: starts small, grows to this while one loop
 * needs it. */
#define TCP_RING_MAX 256
#define TCP_RING_START 16
/* Intervals never seen at the capture point that are remembered per direction. */
#define TCP_MAX_HOLES 32
/* Signatures of recent packets, to know a copy of the same packet. */
#define TCP_RECENT 64
/* ...and so many at most, where copies come late: 12 ms of full segments at 1 Gb/s. */
#define TCP_RECENT_MAX 1024
/* Every so many packets the Ethernet address is compared, which costs a cache line: an odd number,
 * so that two devices in turn are seen. */
#define TCP_MAC_EVERY 15
/* Different windows that a client filled to the last byte, of scale_lost.h. */
#define TCP_FILL_VALUES 3
/* Disjoint SACKed intervals kept per direction; more are merged into their neighbours. */
#define TCP_MAX_SACKED 16

/** SegmentClass: what a packet with payload is. Packets without are SEGMENT_NONE. */
typedef enum SegmentClass {
	SEGMENT_NONE,
	SEGMENT_NEW,
	SEGMENT_COPY, /* the same packet recorded or delivered twice: never moves time */
	SEGMENT_KEEP_ALIVE,
	SEGMENT_PROBE,                   /* into a closed window */
	SEGMENT_RETRANSMISSION,          /* bytes that passed the capture point before */
	SEGMENT_RETRANSMISSION_UPSTREAM, /* bytes lost before the capture point, repaired */
	SEGMENT_REORDERED,               /* late, not lost */
} SegmentClass;

typedef enum RetransmissionKind {
	RETRANSMISSION_NONE,
	RETRANSMISSION_FAST,
	RETRANSMISSION_TIMEOUT,
	RETRANSMISSION_TAIL_PROBE,
	RETRANSMISSION_CLOSED_WINDOW, /* the receiver had closed or shrunk its window over these
					 bytes */
} RetransmissionKind;

/** AckEvent: an acknowledgement as it passed the capture point. */
typedef struct AckEvent {
	int64_t ts_ns;
	int64_t ack;  /* stream offset */
	int64_t edge; /* right edge it advertised */
	uint32_t window;
	bool ack_advanced, edge_advanced;
	bool is_pure; /* carried no data */
} AckEvent;

/** SendRecord: a data segment as it passed the capture point. */
typedef struct SendRecord {
	int64_t ts_ns;
	int64_t end;
	uint32_t len;
	bool retransmitted; /* no RTT sample from it (Karn) */
} SendRecord;

/* Newest samples whose smallest is "now": a pause of a host lengthens some of them, a queue all. */
#define TCP_RECENT_SAMPLES 8

/** RecentMin: smallest of the newest samples. */
typedef struct RecentMin {
	int64_t min;    /* 0 while there is none */
	uint32_t count; /* free-running */
	int64_t samples[TCP_RECENT_SAMPLES];
} RecentMin;

typedef struct Hole {
	int64_t from, to;
	int64_t opened_ns;
	int64_t acknowledged_ns; /* the receiver has it although it was not seen here; 0 not yet */
	uint32_t opener_tsval;
	uint16_t opener_ip_id;
	bool has_tsval; /* opened by a data segment: opener_tsval and opener_ip_id are set */
	bool has_ip_id;
} Hole;

typedef struct Interval {
	int64_t from, to;
} Interval;

/** TcpDirection: what one side sends, and what the other side acknowledges of it. */
typedef struct TcpDirection {
	/* a cache line each, in the order in which packets need them */
	uint32_t next_seq;      /* sequence number of stream offset `next` */
	bool has_seq;           /* a sequence number of this side is known */
	bool has_edge;          /* the peer advertised a window since data may flow */
	uint8_t scale_in_force; /* shift applied to this side's window field */
	bool has_timestamps;
	int64_t next;                    /* highest stream offset seen, plus one */
	int64_t una;                     /* highest acknowledgement seen at the capture point */
	int64_t edge;                    /* rightmost edge the peer advertised */
	int64_t sender_una, sender_edge; /* the same, as this sender knows them now */
	int64_t last_data_ns, last_progress_ns; /* last segment; last ack that advanced */

	uint32_t last_len;
	uint32_t peer_window; /* last advertised by the peer, scaled */
	uint32_t max_peer_window;
	uint32_t max_segment; /* largest payload seen */
	uint32_t mss; /* effective: option less per-segment options, or largest payload seen */
	uint32_t duplicate_acks_now; /* in a row */
	AckEvent *acks;              /* ring, acks_mask + 1 entries */
	SendRecord *sends;           /* ring */
	uint64_t *recent;            /* signature ring: pairs of hash and time */
	uint32_t acks_mask, acks_head,
		acks_applied; /* free-running; applied: next to be told to the sender */
	uint32_t sends_mask;

	uint32_t sends_head, sends_tail; /* tail: oldest not acknowledged */
	uint32_t sends_skipped;          /* of 1 << sends_shift segments one is remembered */
	uint8_t sends_shift;
	uint32_t recent_head, recent_mask;
	int64_t copy_lag_ns; /* how late copies come at most; 0: there was none */
	uint32_t hole_count;
	uint32_t sacked_count;
	uint16_t last_ip_id;
	uint8_t ttl_min, ttl_max;
	uint32_t ip_id_orderly, ip_id_disorderly;
	uint32_t last_tsval;
	uint32_t pending_tsval;        /* passed towards this host... */
	uint32_t max_window_after_syn; /* largest the peer advertised once connected */

	uint16_t syn_mss;     /* option value, 0 absent */
	uint8_t stale_in_row; /* data with old time stamps */
	bool has_last_tsval, has_mac, syn_seen, fin_seen, rst_seen, last_was_probe;
	bool in_recovery, is_slow_start;
	bool round_was_limited; /* some gap of this round was clocked by acknowledgements */
	bool is_scale_settled;  /* of a client: scale_lost.h has nothing more to ask */
	bool plateau_outlier;
	bool is_echo_stuck;       /* echoes an old time stamp although it knows newer packets */
	int64_t last_tsval_ns;    /* RFC 7323 timestamps are a clock of their own */
	int64_t pending_tsval_ns; /* pending_tsval passed at; 0 none */
	uint64_t packets, wire_bytes;
	int64_t flight_at_stop; /* when the sender sent its last segment */
	int64_t small_end;      /* end of the newest segment that was not full */

	int64_t older_echo_ns; /* data that did not know of the pending time stamp yet came until so
				  long after it */
	int64_t last_older_echo_ns; /* the same for the time stamp before it */
	int64_t pending_edge;       /* right edge of the adverts before it; 0 unknown */
	int64_t round_mark;         /* docs/architecture.md, "Life of a packet" */
	uint64_t round_max_flight;
	uint64_t demonstrated; /* largest flight since the last loss or restart */
	uint64_t max_in_flight, payload_packets;

	uint64_t payload_bytes, unique_bytes;
	int64_t sacked_bytes;
	uint64_t first_data_frame;
	/* loop of the peer: data to acknowledgement */
	int64_t last_rtt_ns;
	uint64_t rtt_samples;
	uint32_t max_acked_len;  /* largest segment acknowledged at the first try */
	uint32_t max_passed_len; /* largest that was acknowledged without a repair, alone or not */
	uint32_t backoff;        /* timeouts in a row without progress */
	uint32_t first_tsval;

	int64_t min_rtt_ns, max_rtt_ns, smoothed_rtt_ns;
	int64_t last_loss_ns; /* newest repair; 0 none */
	RecentMin rtt_now;    /* newest samples of the loop of the peer */
	int64_t first_tsval_ns;

	int64_t repair_end; /* oldest repair not yet answered; 0: none */
	int64_t spacing_ns; /* pause between the last two full segments, while pauses are even... */
	int64_t spacing_at_ns;           /* ...until this segment... */
	uint32_t spacing_run;            /* ...so many in a row */
	RetransmissionKind episode_kind; /* of the recovery under way */
	int64_t highest_sacked;
	uint64_t previous_round_flight;
	int64_t zero_window_since_ns; /* of the window this side advertises */
	int64_t sacked_since_ns;      /* when the receiver first reported the holes it has now */
	uint64_t announced_stalls;    /* repairs by a timer of bytes that only a packet without data
					 had shown */
	int64_t bare_next; /* a packet without data showed that data before this offset had been
			      sent... */
	int64_t bare_ns;   /* ...then; both 0 when all of them passed */

	/* loss and order */
	Hole *holes;
	Interval sacked[TCP_MAX_SACKED];
	int64_t recovery_point;
	int64_t closed_from, closed_to; /* bytes in flight when the window closed over them */
	int64_t last_timeout_gap_ns;

	/* rounds and plateau, docs/architecture.md, "Life of a packet" */
	uint32_t slow_rounds;
	uint32_t plateau_rounds;
	uint64_t plateau_reference;
	int64_t plateau_since_ns;
	uint64_t plateau_flight; /* largest flight that held for PLATEAU_ROUNDS */
	int64_t last_late_ns; /* the receiver last held this sender up: its delays look like a queue
			       */

	/* counters for the report */
	LossLog *loss_log;  /* NULL before the first loss */
	LossLine loss_line; /* of it, once the connection has ended */
	uint64_t retransmitted_packets, retransmitted_bytes, timeouts, fast_retransmissions,
		tail_probes, spurious;
	uint64_t reordered, copies, copies_ttl, copies_vlan, uncaptured_bytes, duplicate_acks,
		keep_alives, probes, zero_windows, unseen_sent;
	uint64_t segments_over_mss, fragmented, ecn_marks, ece_flags;
	uint64_t mac_changes; /* of frames looked at: another device handed them on */
	uint64_t loss_events, loss_events_inflated, losses_in_event;
	uint64_t max_losses_in_event;
	uint64_t recoveries_multi; /* episodes with two or more losses */
	int64_t first_zero_window_ns;
	int64_t loss_before_ns; /* the same before the episode under way */
	int64_t zero_window_ns;
	int64_t at_edge_ns; /* this sender stood at the peer's edge */
	int64_t silent_ns;  /* longest pause in which it sent nothing, lost or under way: its packet
			       numbers and its clock prove it */
	uint64_t edge_stops, late_releases;
	uint64_t edge_window_sum; /* window in force at the stops, summed, for its mean */
	uint32_t edge_window_min, edge_window_max;
	uint32_t edge_plateau;       /* window at the stops, once it did not grow any more... */
	uint64_t edge_plateau_stops; /* ...and how often and how long it held */
	int64_t edge_plateau_since_ns, edge_plateau_last_ns;
	uint32_t first_window;
	uint64_t restarts; /* slow start again after idle */
	uint64_t
		restarts_small; /* of these, the first round was half of what went before or less */
	uint64_t demonstrated_before_restart; /* 0 when no restart is under way */
	uint32_t initial_flight;              /* bytes of the first round */
	int64_t repair_ns;                    /* of repair_end */
	uint32_t repair_tsval;
	bool repair_has_tsval;
	uint64_t closed_repairs;    /* retransmissions over which the window had closed */
	uint64_t spurious_inferred; /* proven without D-SACK: RFC 3522, or answered too soon */
	uint64_t upstream_losses;   /* of the retransmissions: lost before the capture point */
	uint64_t tail_timeouts;   /* timers that expired with so little under way that nothing else
				     could report the loss */
	uint64_t unseen_stalls;   /* timers that only the IP identification tells of... */
	uint64_t unseen_tails;    /* ...with no more packets unseen than a tail and its repeats */
	uint64_t big_timeouts;    /* timers that expired over a full-size segment */
	uint32_t max_timeout_len; /* largest segment a timer repeated */
	int64_t reordered_late_max_ns; /* longest delay of a segment that was overtaken */
	uint64_t first_reordered_frame, first_spurious_frame, first_ecn_frame;
	int64_t first_reordered_ns, first_spurious_ns, first_ecn_ns;
	uint64_t first_loss_frame, last_timeout_frame;
	uint64_t syn_frame, first_zero_window_frame;
	int16_t window_scale; /* announced, -1 absent or SYN not seen */
	bool sack_permitted, options_cut;
	bool scale_known;
	/* scale_lost.h: of a client */
	bool is_field_unscaled;
	uint8_t fills, fill_values;
	uint16_t syn_window, fill_fields[TCP_FILL_VALUES];
	int64_t fills_since_ns; /* when the last data before the first fill passed */
	uint8_t mac[6];         /* of the newest frame looked at */
	uint64_t mac_frame;     /* the first frame whose sender differs from the one before */
	int64_t mac_frame_ns;
} TcpDirection;

/** TcpStep: what one packet did. */
typedef struct TcpStep {
	Side side;
	SegmentClass segment;
	RetransmissionKind retransmission;
	int64_t from, end; /* stream offsets of the payload */
	uint32_t len;      /* payload on the wire */
	bool is_setup;     /* SYN or SYN-ACK or the ACK that ends the handshake */
	bool ack_advanced, edge_advanced, zero_window, is_duplicate_ack;
	bool unseen_before; /* the IP-ID ledger proves packets sent just before that were not seen
			       here... */
	uint16_t unseen_count; /* ...so many */
	bool none_unseen;      /* the ledger proves that there were none */
	bool is_fresh;         /* the sender's clock moved on by the pause before it: it was sent at
				  its end */
	bool starts_recovery, ends_recovery;
	bool was_in_recovery; /* before this packet */
	bool scale_lost;      /* it proved that the client does not know of window scaling */
	bool clock_jumped;    /* the capture's clock ran ahead before it: the sender's did not */
	bool clock_ran; /* what the peer's last packet said of the clock was wrong: this side's own
			   clock ran on as the capture's did, the path had held the packet */
	bool closes;    /* FIN or RST */
	bool was_lost;  /* repairs what was lost, as far as is known */
	int64_t missed_ns; /* of it: it never passed here and was missed then; 0: it passed */
	int64_t gap_from, gap_to; /* bytes of @gap_side that the receiver has and the capture lacks;
				     empty when equal */
	int64_t gap_opened_ns;    /* when the first of them was missed */
	Side gap_side;
	int64_t under_way_ns; /* its time stamps show that it was sent so long ago and longer, back
				 to here included; 0 unknown */
	int64_t previous_data_ns; /* last data of this side before it */
	uint32_t previous_len;
	int64_t next_before;   /* `next` before it */
	int64_t flight_before; /* in flight when the sender stopped */
	int64_t small_end;     /* end of the last segment before it that was not full */
} TcpStep;

typedef enum TcpState {
	TCP_STATE_SYN,
	TCP_STATE_OPEN,
	TCP_STATE_CLOSING,
	TCP_STATE_CLOSED,
	TCP_STATE_RESET
} TcpState;

typedef struct TcpConnection {
	TcpDirection dir[2]; /* by Side that sends */
	int64_t loop_ns[2]; /* capture point to that host and back, smallest seen; INT64_MAX unknown
			     */
	int64_t first_ns, last_ns;
	int64_t jump_ns; /* newest jump, while the other host may still deny it; 0: no */
	Side jump_side;  /* whose clock told of it */
	TcpState state;
	bool is_steady;         /* steady.h */
	bool is_never_steady;   /* every packet goes the long way: tests compare both */
	bool handshake_seen;    /* SYN, SYN-ACK and ACK */
	bool direction_hint[2]; /* the capture says that this host sent from here */
	bool middlebox;
	bool is_scale_lost; /* the client does not know that the server scales its windows, although
			       both SYNs said so here */
	bool swapped_known; /* roles are certain (SYN or SYN-ACK seen) */
	int64_t established_ns;        /* 0 unseen */
	RecentMin loop_now[2];         /* newest samples of loop_ns */
	int64_t syn_ack_ns;            /* 0 unseen */
	uint64_t scale_stripped_frame; /* a copy of a SYN that differs in the window scale option: a
					  device between two places of capture removes it; 0 no */
	int64_t syn_ns;                /* 0 unseen */
	int64_t handshake_loop_ns[2];
	uint32_t syn_tries, syn_ack_tries;
	uint64_t out_of_window_packets;
	uint64_t clock_jumps;
	int64_t jump_from_ns;  /* of jump_ns */
	int64_t clock_back_ns; /* largest step back that was clamped */
} TcpConnection;

/** TcpEnds: a connection as a packet of @side finds it. */
typedef struct TcpEnds {
	TcpConnection *tcp;
	TcpDirection *own, *peer; /* what @side sends, and the other */
	Side side;
} TcpEnds;

/** tcp_ends: both directions of @tcp by their addresses. Compilers that see where these come from
 * multiply anew at every use: what the empty instructions touch they do not know. */
static inline TcpEnds tcp_ends(TcpConnection *tcp, Side side)
{
	TcpEnds ends = {tcp, &tcp->dir[side], &tcp->dir[1 - (int)side], side};
	__asm__("" : "+r"(ends.own));
	__asm__("" : "+r"(ends.peer));
	return ends;
}

/** tcp_connection_init: a connection whose first packet is about to be fed. */
void tcp_connection_init(TcpConnection *tcp);

/** tcp_connection_clear: frees what it holds; the struct itself is the caller's. */
void tcp_connection_clear(TcpConnection *tcp);

/**
 * tcp_connection_step: takes one packet of the connection, sent by @side.
 * @ret: what it did. Time may step back: it is clamped and counted.
 */
void tcp_connection_step(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *ret);

/** tcp_connection_predicted: the same for a packet that is as predicted (steady.h): new data in
 * order, or an acknowledgement of more, and nothing else. Of any other false, and nothing is done.
 */
bool tcp_connection_predicted(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *ret);

/** tcp_uncaptured_bytes: bytes sent this way that were acknowledged and that the capture lacks. */
uint64_t tcp_uncaptured_bytes(const TcpDirection *d);

/** tcp_rtt_ns: both loops, or 0 while one of them is unknown. */
int64_t tcp_rtt_ns(const TcpConnection *tcp);

/** tcp_rtt_now_ns: the newest loops together (queues included), or 0. */
int64_t tcp_rtt_now_ns(const TcpConnection *tcp, Side sender);

/** tcp_queue_stands: the newest samples say that a queue stands on the path (docs/architecture.md,
 * "Every nanosecond once"). */
bool tcp_queue_stands(const TcpConnection *tcp, Side sender);

/** tcp_sender_loop_ns: dS of docs/architecture.md, "Life of a packet" for data of @sender, 0 while
 * unknown. */
static inline int64_t tcp_sender_loop_ns(const TcpConnection *tcp, Side sender)
{
	return tcp->loop_ns[sender] == INT64_MAX ? 0 : tcp->loop_ns[sender];
}

/** tcp_receiver_loop_ns: dR of docs/architecture.md, "Life of a packet", 0 while unknown. */
static inline int64_t tcp_receiver_loop_ns(const TcpConnection *tcp, Side sender)
{
	return tcp_sender_loop_ns(tcp, sender == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT);
}

/** tcp_loop_sample: a measured loop towards the host of @side; keeps the smallest. */
void tcp_loop_sample(TcpConnection *tcp, Side side, int64_t loop_ns);

/** tcp_recent_min_add: takes a sample in ns. */
void tcp_recent_min_add(RecentMin *recent, int64_t sample);

/**
 * tcp_window_is_trusted: whether the window advertised for data of @sender means bytes. Without the
 * handshake its scale is unknown, and at least what data beyond the field prove: a window of a few
 * segments is most likely a larger one.
 */
static inline bool tcp_window_is_trusted(const TcpConnection *tcp, Side sender)
{
	const TcpDirection *d = &tcp->dir[sender], *advertiser = &tcp->dir[1 - (int)sender];
	return advertiser->scale_known || d->peer_window == 0 || d->peer_window >= 4 * d->mss;
}

/** tcp_is_closed_window: the peer's last advert left this sender no room worth sending into. */
bool tcp_is_closed_window(const TcpConnection *tcp, Side sender);

/** tcp_ack_event: i-th newest event of @d (0 newest), NULL when there is none. */
static inline const AckEvent *tcp_ack_event(const TcpDirection *d, uint32_t i)
{
	if (!d->acks || i >= d->acks_head || i > d->acks_mask)
		return NULL;
	return &d->acks[(d->acks_head - 1 - i) & d->acks_mask];
}

/** tcp_send_record: i-th newest segment of @d, NULL when there is none. */
static inline const SendRecord *tcp_send_record(const TcpDirection *d, uint32_t i)
{
	if (!d->sends || i >= d->sends_head || i > d->sends_mask)
		return NULL;
	return &d->sends[(d->sends_head - 1 - i) & d->sends_mask];
}

#endif
