/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thresholds of the analysis in one place, each with its reason. None is fitted to a capture.
 */
#ifndef SLOWCOPY_ANALYZER_CONSTANTS_H
#define SLOWCOPY_ANALYZER_CONSTANTS_H

#define MILLISECOND_NS INT64_C(1000000)
#define SECOND_NS INT64_C(1000000000)

/* Connections that are not TCP have stream numbers of their own, from here on: Wireshark's
 * tcp.stream knows none of them. */
#define STREAM_NOT_TCP UINT32_C(0x80000000)

/* A finding costs at least this much: less is not why anybody complains. */
#define MIN_LOST_NS (100 * MILLISECOND_NS)
#define MIN_LOST_SHARE 0.03
/* Severity: shares of the transfer's wall time. */
#define MAJOR_SHARE 0.20
#define CRITICAL_SHARE 0.50
/* A transfer whose bytes needed this share of the time is healthy. */
#define HEALTHY_LINK_SHARE 0.85
/* "A full link" is nine tenths of what its nominal speed carries; less is a busy one. */
#define FULL_RATE_SHARE 0.90

/* A copy of a packet comes within half a round trip, but span ports need a millisecond and buffers
 * up to twenty. */
#define DUPLICATE_MIN_NS (1 * MILLISECOND_NS)
#define DUPLICATE_MAX_NS (20 * MILLISECOND_NS)
/* The same IPv4 identification and another TTL: the packet again behind a router, which may have
 * kept it in its queue. No sender makes such a packet. */
#define DUPLICATE_ROUTED_MAX_NS (200 * MILLISECOND_NS)
/* With a time stamp older than others that its sender has sent since. Longer than this no packet is
 * under way between the places where the two were recorded. */
#define DUPLICATE_OLD_MAX_NS (2 * SECOND_NS)

/* Captures order packets of different queues wrongly by up to this much. */
#define CAPTURE_ORDER_NS (10 * MILLISECOND_NS)

/* A jump of the capture's clock: at least a second, while the sender's clock, known over a tenth of
 * a second and some ticks, moved by less than four fifths of it. */
#define CLOCK_JUMP_MIN_NS SECOND_NS
#define CLOCK_JUMP_SHARE 0.8
#define CLOCK_KNOWN_MIN_NS (100 * MILLISECOND_NS)
#define CLOCK_KNOWN_TICKS 10

/* Feedback about a hole needs one round trip; minima may be 20 % high. */
#define REORDER_RTT_SHARE 0.8

/* IP identification as a ledger of unseen packets: Linux counts per socket. */
#define IP_ID_MIN_SAMPLES 50
#define IP_ID_MAX_JUMP 200
#define IP_ID_FEW_SAMPLES 8
#define IP_ID_UNIX_TTL 64

/* Linux never waits less than 200 ms for its retransmission timer; clocks and ticks take 10 % off.
 */
#define TIMEOUT_MIN_NS (180 * MILLISECOND_NS)
#define TIMEOUT_SRTT_FACTOR 1.2
/* How late after an acknowledgement what it set off may be sent: a scheduling tick or two. */
#define TIMER_SLACK_NS (20 * MILLISECOND_NS)
/* RFC 8985 7.2: probe after two smoothed round trips; 1.5 leaves room for the estimate. */
#define TAIL_PROBE_SRTT_FACTOR 1.5
#define LEDGER_MIN_PAUSE_NS (150 * MILLISECOND_NS)

/* An edge the sender can have known when it stopped: loops are minima, jitter makes them longer. */
#define EDGE_LOOP_SHARE 0.8
#define EDGE_JITTER_SHARE 0.05
/* Room worth sending into at once, in segments (RFC 9293 3.8.6.2.1 and segmentation offload wait
 * for more). */
#define ROOM_MIN_SEGMENTS 4
/* A burst ends at a pause of a quarter round trip; below half a millisecond interrupts batch
 * packets. */
#define BURST_GAP_MIN_NS (500000)
/* Timer and interrupt noise on hosts: shorter pauses say nothing. */
#define NOISE_FLOOR_NS (300000)

/* So long after a receiver was slow an inflated round trip is not taken for a queue. */
#define QUEUE_AFTER_LATE_NS SECOND_NS
/* RFC 6928: current senders begin with ten segments. */
#define INITIAL_WINDOW_SEGMENTS 10
/* A round that grew by a fifth is still slow start (it doubles, delayed ACKs make it 1.5). */
#define SLOW_START_GROWTH 1.2
#define PLATEAU_ROUNDS 8
#define PLATEAU_TOLERANCE 0.05
#define PLATEAU_WINDOW_SHARE 0.8
/* RFC 9438 5.1: CUBIC is back at the window before a loss after at most this long for windows of a
 * thousand segments. */
#define PLATEAU_QUIET_NS (10 * SECOND_NS)
/* A tail as the IP identification shows it: up to four lost segments, the probe and the timer's
 * first repeat. */
#define UNSEEN_TAIL_PACKETS 6
/* Data sent within this of an acknowledgement's arrival was triggered by it. */
#define TRIGGER_MIN_NS (400000)
#define TRIGGER_LOOP_SHARE 0.15
/* A pause this long without a trigger is the application's. */
#define STALL_MIN_NS (1500000)
#define STALL_LOOP_SHARE 0.3
#define DEMONSTRATED_SHARE 0.6
/* Even pauses between full segments: they differ by what a proven speed may differ (path.c), and
 * half a train of 16 has them. */
#define SPACING_EVEN_SHARE 0.15
#define SPACING_EVEN_RUN 8
/* Delayed acknowledgement timers start at 40 ms (Linux, current Windows). */
#define DELAYED_ACK_MIN_NS (30 * MILLISECOND_NS)

/* Files of one job follow each other within this pause; a person needs longer to click. */
#define JOB_GAP_NS (2 * SECOND_NS)
/* A connection silent this long is put to rest. */
#define CONNECTION_IDLE_NS (120 * SECOND_NS)
#define SMALL_FILE_BYTES (256 * 1024)
/* A disk that has to move its head needs 5 ms and more; what a host has in memory it copies, signs
 * and sends at 1 GB/s. docs/causes.md, server-slow-read. */
#define SLOW_SERVICE_NS (5 * MILLISECOND_NS)
#define SLOW_SERVICE_NS_PER_BYTE 1

/* docs/architecture.md, "Every nanosecond once": bytes the capture lacks; above these shares
 * findings are capped. */
#define CAPTURE_DROPS_MENTION_SHARE 0.001
#define CAPTURE_DROPS_MEDIUM_SHARE 0.02
#define CAPTURE_DROPS_LOW_SHARE 0.10
/* docs/causes.md, capture-snaplen and capture-duplicates */
#define CAPTURE_CUT_SHARE 0.01
#define CAPTURE_COPIES_SHARE 0.01
/* Connections that carry less are no transfers; their missing handshakes interest nobody. */
#define CAPTURE_BULK_BYTES (64 * 1024)
/* Linux and Windows repeat a SYN after 1 and 3 s (RFC 6298 5.7): who has sent it three times has
 * waited for seconds. */
#define CAPTURE_UNANSWERED_TRIES 3
/* TCP/IP headers with options and VLAN tags; below this even they are cut. */
#define CAPTURE_SNAPLEN_HEADERS 96
/* SMB headers at the start of a segment. */
#define CAPTURE_SNAPLEN_SMB 256
/* One direction is missing when less than this share of the segments has an acknowledgement in
 * return. */
#define CAPTURE_ONE_SIDED_SHARE 0.05

#endif
