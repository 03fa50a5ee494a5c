/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lost packets: what they cost in all, and which one of several causes tells it. RFC 5681,
 * RFC 6298; docs/causes.md, loss-random to tail-loss.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_LOSS_H
#define SLOWCOPY_ANALYZER_CAUSES_LOSS_H

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

/* docs/causes.md, loss-random: five packets and one in two thousand, before it is called a rate. */
#define LOSS_MIN_PACKETS 5
#define LOSS_MIN_RATE 0.0005
/* docs/causes.md, loss-congestive: half of the losses came when the queue was filling, or three and
 * more at a time. */
#define LOSS_CONGESTIVE_SHARE 0.5
#define LOSS_CONGESTIVE_BURST 3
/* docs/causes.md, policing: the path carries more than the limiter lets through, or it is the path
 * that is full. */
#define LOSS_PATH_FACTOR 1.5
/* docs/causes.md, pmtud-black-hole: timers over full-size segments, while smaller ones pass. */
#define LOSS_BLACK_HOLE_TIMEOUTS 3
#define LOSS_BLACK_HOLE_SIZE_SHARE 0.97
/* docs/causes.md, spurious-retransmission: proven unneeded repairs. */
#define LOSS_SPURIOUS_MIN 3
#define LOSS_SPURIOUS_SHARE 0.5
/* docs/causes.md, reordering. */
#define LOSS_REORDERED_MIN 10
#define LOSS_REORDERED_MIN_RATE 0.001
/* RFC 5681 3.2: so many in a row let the sender repeat. */
#define LOSS_DUPLICATES 3

/* Waiting for timers is the story when it is three quarters of what losses cost: half may be a few
 * of many repairs that needed one. */
#define LOSS_STALL_SHARE 0.75

/* Frames for a network card to cut, of which none got through at the first try, and timers. */
#define LOSS_OFFLOAD_MIN_FRAMES 10
#define LOSS_OFFLOAD_MIN_TIMEOUTS 3

/* Of data none of which arrived: so many timers must have passed (RFC 6298 5.5: 1 + 2 + 4, with
 * the shortest timer there is, Linux's 200 ms). */
#define LOSS_BLACK_HOLE_SILENCE_NS (7 * TIMEOUT_MIN_NS)
/* ...and a full-size packet must have been among them. */
#define LOSS_BLACK_HOLE_SEGMENTS 2
/* Flach et al. 2016: so many losses, nine in ten of them with an empty bucket, and hardly any after
 * a round trip that grew; a shorter stretch is one burst of losses: a line goes through any. */
#define LOSS_LINE_LOSSES 15
#define LOSS_LINE_SHARE 0.90
#define LOSS_LINE_INFLATED 0.20
#define LOSS_LINE_ROUND_TRIPS 30
/* Who stays so far below a limit loses nothing to it: what the test of policing sends at. */
#define LOSS_BELOW_LIMIT 0.9

/** LossKind: exactly one cause speaks for the time that losses cost. */
typedef enum LossKind {
	LOSS_FINE,       /* cost too little, or too little evidence */
	LOSS_OFFLOAD,    /* offload-defect */
	LOSS_BLACK_HOLE, /* pmtud-black-hole */
	LOSS_SPURIOUS,   /* spurious-retransmission: nothing was lost */
	LOSS_REORDERING, /* reordering: taken for loss */
	LOSS_TAIL,       /* tail-loss */
	LOSS_TIMEOUT,    /* rto-stall */
	LOSS_POLICED,    /* policing */
	LOSS_CONGESTIVE, /* loss-congestive */
	LOSS_RANDOM,     /* loss-random */
} LossKind;

/** LossFacts: losses of the direction that suffered. */
typedef struct LossFacts {
	Side side;                     /* who sent what was lost */
	const TcpDirection *direction; /* its packets */
	uint64_t repairs;              /* packets sent again, less those over a closed window */
	uint64_t unneeded;             /* of them: nothing was lost, the answer was only late */
	uint64_t answers_lost;         /* of them: what came was the answer's loss */
	uint64_t lost;                 /* the rest */
	uint64_t sent;                 /* packets that the network carried, repairs included */
	double rate;                   /* lost / sent, 0..1 */
	double mathis;                 /* rate such losses allow, bytes per second; 0 unknown */
	int64_t cost_ns;               /* not yet claimed */
	int64_t stall_ns;              /* of it, waiting for timers */
} LossFacts;

/** loss_facts: false when the connection is not known. */
bool loss_facts(const CauseContext *context, LossFacts *ret);

/** loss_none_arrived: bytes of @d that its sender's sequence number tells of and that never came
 * here, when none ever did; else 0. */
int64_t loss_none_arrived(const TcpDirection *d);

/** loss_floor_ns: what the bytes of the unit take at the rate that its losses allow (Mathis et al.
 * 1997), which nobody meets while something else is slower; 0 without losses of the bulk. */
int64_t loss_floor_ns(const CauseContext *context);

/** loss_was_none: most repairs were for nothing. */
bool loss_was_none(const LossFacts *facts);

/** loss_kind: who speaks. */
LossKind loss_kind(const CauseContext *context, LossFacts *ret);

/**
 * loss_conclude: claims repair, timers and what was slow after them; numbers, savings, evidence.
 * False when less than a finding is left.
 */
bool loss_conclude(const CauseContext *context, FindingDraft *draft, const LossFacts *facts);

/** loss_is_on_line: where the packets that passed were not seen beside the lost ones: the losses
 * are as a rate limiter makes them. */
bool loss_is_on_line(const CauseContext *context, const LossFacts *facts);

/** loss_place: "between the capture point and the client 10.0.0.2", in the arena. */
const char *loss_place(const CauseContext *context, const LossFacts *facts);

/** loss_rules_out: "loss 0.00 %", or NULL. */
const char *loss_rules_out(const CauseContext *context);

#endif
