/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cause is one file in this folder, named like its id, that ends in one const descriptor
 * `cause_<id with underscores>`; the table is generated from the folder. The time budget alone
 * decides where time went (transfer/gap.c); a cause says why a bucket is large, claims its time,
 * and tells what fixing it would save. It never moves time between buckets.
 *
 * Causes are asked about each unit (transfer or job) in the order of `precedence`; each can claim
 * only what causes asked before it left over, so that no nanosecond is blamed twice.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_CAUSE_H
#define SLOWCOPY_ANALYZER_CAUSES_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/arena.h"
#include "analyzer/result.h"
#include "analyzer/transfer/path.h"
#include "analyzer/transfer/tracker.h"
#include "analyzer/transfer/unit.h"

#define CAUSE_MAX_NUMBERS 10
#define CAUSE_MAX_EVIDENCE 16
#define CAUSE_MAX_ADVICE 8

/* Headers of IP, TCP with timestamps and Ethernet around a segment. */
#define CAUSE_HEADER_BYTES (40 + 12 + 14)

/** Set of operation classes, for round-trip and server-processing. */
#define OP_MASK(op_class) (1u << (op_class))
#define OP_MASK_DATA (OP_MASK(OP_READ) | OP_MASK(OP_WRITE))
#define OP_MASK_META                                                                               \
	(OP_MASK(OP_OPEN) | OP_MASK(OP_CLOSE) | OP_MASK(OP_META) | OP_MASK(OP_DIR) |               \
		OP_MASK(OP_OTHER) | OP_MASK(OP_LOCK))
#define OP_MASK_ALL ((1u << OP_CLASS_COUNT) - 1)

/** CauseContext: one unit under examination. All pointers outlive the call; nothing may be changed.
 */
typedef struct CauseContext {
	const Unit *unit;
	const ConnectionFacts *facts; /* of the connection that carried the bulk; NULL unknown */
	const SessionStats *session;  /* of the SMB or FTP session; NULL when there is none */
	const TcpDirection *sender;   /* direction of the bulk; NULL when facts is */
	const TcpDirection *receiver; /* the other direction */
	Side bulk; /* who sends the bulk, as the unit counts sides: SIDE_CLIENT uploads */
	const char *client_name, *server_name; /* addresses as text */
	const char *sender_name, *receiver_name;
	int64_t wall_ns;      /* duration of the unit, > 0 */
	uint64_t bytes;       /* file data in the main direction */
	double rate;          /* bytes per second, 0 when nothing moved */
	int64_t rtt_ns;       /* both loops, 0 unknown */
	int64_t link_ns;      /* the link bucket */
	Capacity capacity;    /* of the bulk direction, wire bytes per second */
	TrailFit trail;       /* what a bucket of tokens says of the losses in the bulk direction */
	double goodput_limit; /* payload bytes per second the path carries: capacity less headers; 0
				 unknown */
	uint32_t mss;         /* effective, bulk direction, > 0 */
	Vantage vantage;
	bool is_one_sided;         /* only one direction was captured: nobody's waiting is known */
	bool is_data_unseen;       /* FTP: data connections are not in the capture */
	Confidence confidence_cap; /* the capture's quality allows no more */
	int64_t left_ns[BUCKET_COUNT]; /* not yet claimed */
	int64_t left_round_trip_ns[OP_CLASS_COUNT], left_server_ns[OP_CLASS_COUNT];
	const struct Unit *const *units; /* all units of the capture, for comparison */
	uint32_t unit_count;
	const ConnectionFacts *const
		*connections; /* facts kept of all connections that carried units */
	uint32_t connection_count;
	const ResultUdpFlow *udp_flows; /* of the capture */
	size_t udp_flow_count;
	PauseFrames pauses;
	Arena *arena; /* for text */
} CauseContext;

/** FindingDraft: what a cause concludes. Zeroed before conclude(); text lives in the context's
 * arena or is static. */
typedef struct FindingDraft {
	int64_t claim_ns[BUCKET_COUNT];
	int64_t claim_round_trip_ns[OP_CLASS_COUNT], claim_server_ns[OP_CLASS_COUNT];
	int64_t lost_ns; /* sum of the claims; kept by the claim functions */
	int64_t saved_low_ns,
		saved_high_ns;          /* 0 <= low <= high <= lost_ns is enforced afterwards */
	int64_t hides_ns[BUCKET_COUNT]; /* at best so much of a bucket would go with it, whoever
					   claimed it: set by cause_hides() */
	bool is_note;                   /* a fact that costs no time: severity info */
	Confidence confidence;
	const char *blame;    /* "CLIENT", "SERVER", "NETWORK", or NULL */
	const char *sentence; /* one plain sentence with the numbers of this case: continues "Copy A
				 -> B was limited by …" badly; write a full sentence such as "The
				 client asks for one 64 KiB block at a time and waits a 6.5 ms round
				 trip for each." */
	const char *fix;      /* short imperative, "eight blocks in flight"; NULL none */
	const char
		*advice[CAUSE_MAX_ADVICE]; /* most effective first; NULL-terminated unless full */
	const char *doubt;                 /* why we are not sure; NULL */
	double ceiling_bytes_per_s;
	const char *ceiling_formula;
	bool is_elsewhere;     /* some of it is of other connections */
	const char *next_test; /* the one test that would settle a "possible"; NULL */
	uint32_t number_count, evidence_count;
	/* written by cause_number() and cause_evidence() alone, and counted by them */
	ResultNumber numbers[CAUSE_MAX_NUMBERS];
	ResultEvidence evidence[CAUSE_MAX_EVIDENCE]; /* time_ns since the epoch here; made relative
							later */
} FindingDraft;

/* Numbers and lines of advice of a guide. */
#define GUIDE_MAX_NUMBERS 14
#define GUIDE_MAX_ADVICE 8
#define GUIDE_MAX_TRAPS 6

/** GuideNumber: a threshold as the code has it, so that no page can tell another one. */
typedef struct GuideNumber {
	NumberKind kind;
	double value;
} GuideNumber;
#define GUIDE_BYTES(n)                                                                             \
	{                                                                                          \
		NUMBER_BYTES, (double)(n)                                                          \
	}
#define GUIDE_NS(n)                                                                                \
	{                                                                                          \
		NUMBER_NS, (double)(n)                                                             \
	}
#define GUIDE_COUNT(n)                                                                             \
	{                                                                                          \
		NUMBER_COUNT, (double)(n)                                                          \
	}
#define GUIDE_RATE(n)                                                                              \
	{                                                                                          \
		NUMBER_RATE, (double)(n)                                                           \
	}
#define GUIDE_SHARE(n)                                                                             \
	{                                                                                          \
		NUMBER_PERCENT, 100.0 * (double)(n)                                                \
	}

/** GuideAdvice: what to do, and for whom it is meant. */
typedef struct GuideAdvice {
	const char
		*platform; /* "Windows client", "Samba", "Any"; see guide_platforms of the test */
	const char *text;
} GuideAdvice;

/**
 * CauseGuide: what `slowcopy explain` and docs/causes.md tell beyond the explanation. In `rule`,
 * `needs`, `traps` and `confidence`, in this order, each `{}` stands for the next of `numbers`.
 */
typedef struct CauseGuide {
	const char *rule;                   /* how it is recognised */
	const char *needs;                  /* the least evidence */
	const char *traps[GUIDE_MAX_TRAPS]; /* what looks like it, and how that is told apart */
	const char *confidence;             /* when it is how sure */
	GuideNumber numbers[GUIDE_MAX_NUMBERS];
	GuideAdvice advice[GUIDE_MAX_ADVICE];
	const char *next_test; /* the one test that settles a "possible" */
} CauseGuide;

typedef struct Cause {
	const char *id;          /* "receive-window-small": stable; the file has the same name */
	const char *title;       /* "The receiver's window was too small" */
	const char *explanation; /* for a reader who does not know TCP, two to four sentences */
	const char *source;      /* "RFC 7323 2.2; MS-SMB2 3.3.1.2" */
	unsigned precedence;     /* who is asked first: 100-199 capture, 200-299 set-up, 300-399 TCP
				    loss and windows, 400-499     requests, 500-599 server and client,
				    600-699 comparisons, 700-799 notes; unique */
	bool (*conclude)(const CauseContext *context,
		FindingDraft *draft); /* false: nothing to say; of what it wrote then, the first
					 was a claim or the sentence. NULL: never a finding
					 of a transfer; the guide says where it is told */
	/** rules_out: when it did not conclude, a short reason with a number ("loss 0.00 %"), or
	 * NULL; may be NULL. */
	const char *(*rules_out)(const CauseContext *context);
	CauseGuide guide;
} Cause;

/** cause_table: generated, ended by NULL, in order of file names. */
extern const Cause *const cause_table[];

/** cause_find: by id, NULL unknown. */
const Cause *cause_find(const char *id);

/* ---- helpers for causes (cause.c) */

/** cause_claim: claims what is left of @bucket; returns the ns. */
int64_t cause_claim(const CauseContext *context, FindingDraft *draft, Bucket bucket);

/** cause_claim_part: claims at most @ns of @bucket. */
int64_t cause_claim_part(
	const CauseContext *context, FindingDraft *draft, Bucket bucket, int64_t ns);

/** cause_claim_round_trips: claims round trips of the classes in @mask. */
int64_t cause_claim_round_trips(const CauseContext *context, FindingDraft *draft, unsigned mask);

/** cause_claim_server: claims server processing of the classes in @mask. */
int64_t cause_claim_server(const CauseContext *context, FindingDraft *draft, unsigned mask);

/** cause_claim_round_trips_part, cause_claim_server_part: at most @ns of one class. */
int64_t cause_claim_round_trips_part(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, int64_t ns);
int64_t cause_claim_server_part(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, int64_t ns);

/** cause_hides: fixing it lets at best @ns of @bucket pass beside other work, or not at all, though
 * other causes may claim that time: what is asked for at the same time is also answered at the same
 * time. It is no part of what was lost, and makes the promise less certain, not larger. */
void cause_hides(FindingDraft *draft, Bucket bucket, double ns);

/** cause_min_lost_ns: below this a cause is no finding: 0.1 s and 3 % of the unit's wall time. */
int64_t cause_min_lost_ns(const CauseContext *context);

/** cause_share: @ns as share of the wall time, 0..1. */
double cause_share(const CauseContext *context, int64_t ns);

/** cause_number: adds a typed number. cause_number_name: a number that is a word. */
void cause_number(FindingDraft *draft, const char *label, NumberKind kind, double value);
void cause_number_name(FindingDraft *draft, const char *label, const char *name);

/** cause_evidence: adds a frame; 0 is ignored. */
void cause_evidence(const CauseContext *context, FindingDraft *draft, uint64_t frame,
	int64_t time_ns, const char *note);

/** cause_evidence_elsewhere: the same for a frame of another connection, or of none: the filter
 * names it. */
void cause_evidence_elsewhere(const CauseContext *context, FindingDraft *draft, uint64_t frame,
	int64_t time_ns, const char *note);

/** cause_evidence_bucket: adds the longest pauses of @bucket, each noted with @note and its length.
 */
void cause_evidence_bucket(
	const CauseContext *context, FindingDraft *draft, Bucket bucket, const char *note);

/** cause_advice: appends one line of advice. */
void cause_advice(FindingDraft *draft, const char *text);

/** cause_printf: text in the context's arena. */
const char *cause_printf(const CauseContext *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Text for people, in the arena: "64 KiB", "6.5 ms", "8.7 MB/s", "86 %". */
const char *cause_bytes(const CauseContext *context, double bytes);
const char *cause_time(const CauseContext *context, double ns);
const char *cause_rate(const CauseContext *context, double bytes_per_s);
const char *cause_percent(const CauseContext *context, double share);

/** cause_times: "once", "twice", "3 times". */
const char *cause_times(const CauseContext *context, uint64_t count);

/* What had half of the time is not ruled out, whatever kept its cause from being named. */
#define RULED_OUT_MAX_SHARE 0.5

/** cause_may_rule_out: whether @ns of the unit's time are so little that what they went into was
 * not what took it. */
static inline bool cause_may_rule_out(const CauseContext *context, int64_t ns)
{
	return cause_share(context, ns) < RULED_OUT_MAX_SHARE;
}

/** cause_is_half_seen: of what carried the bulk one direction at most was captured: nobody knows
 * what its sender waited for. */
static inline bool cause_is_half_seen(const CauseContext *context)
{
	return context->is_one_sided || context->is_data_unseen;
}

/** cause_slow_start_ns: time a transfer of these bytes needs to reach the path's rate: rtt *
 * ceil(log2(BDP / 10 MSS)). */
int64_t cause_slow_start_ns(const CauseContext *context);

/** cause_limited_ns: time that the unit's bytes and @others (bytes of frames) need at @bytes_per_s,
 * one of the rates of context->trail; 0 when no bucket fits the losses. */
double cause_limited_ns(const CauseContext *context, double others, double bytes_per_s);

/** cause_bdp_bytes: bandwidth-delay product of the bulk direction, 0 unknown. */
double cause_bdp_bytes(const CauseContext *context);

/** cause_loss_ns: time lost to repair and, after losses, to a small congestion window, not yet
 * claimed. */
int64_t cause_loss_ns(const CauseContext *context);

/** cause_loss_rate: retransmitted share of the segments sent in the bulk direction, 0..1 (copies,
 * spurious ones and closed windows not counted). */
double cause_loss_rate(const CauseContext *context);

#endif
