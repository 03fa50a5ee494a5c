/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What changed between two analyses: which copies are the same work, where their times differ,
 * which causes came and went, and whether what was predicted for a cause that is gone came true. B
 * is measured against A. Numbers only; reports/compare_*.c find the words.
 */
#ifndef SLOWCOPY_ANALYZER_COMPARISON_H
#define SLOWCOPY_ANALYZER_COMPARISON_H

#include "analyzer/comparand.h"

/** MatchedBy: why two copies are taken for the same work; the weakest last. */
typedef enum MatchedBy {
	MATCHED_BY_FILE,    /* the whole path */
	MATCHED_BY_NAME,    /* the file's name without its folders */
	MATCHED_BY_FILES,   /* jobs of as many files */
	MATCHED_BY_SIZE,    /* as many bytes over the same protocol */
	MATCHED_BY_ONLY,    /* the only one left on each side */
	MATCHED_BY_VERDICT, /* nothing but that each is its verdict's */
	MATCHED_BY_NOTHING  /* only on one side */
} MatchedBy;

/** matched_by_id: "file", "name", "files", "size", "only-one", "verdict", "none"; static. */
const char *matched_by_id(MatchedBy matched_by);

/** ComparisonPair: transfers of A and B, -1 where there is none. */
typedef struct ComparisonPair {
	int32_t a, b;
	MatchedBy matched_by;
} ComparisonPair;

typedef enum ComparisonOutcome {
	COMPARISON_NONE, /* there is nothing to compare */
	COMPARISON_SAME,
	COMPARISON_FASTER,
	COMPARISON_SLOWER
} ComparisonOutcome;

typedef enum PredictionOutcome {
	PREDICTION_WITHIN,
	PREDICTION_EXCEEDED,
	PREDICTION_MISSED
} PredictionOutcome;

/** ComparisonPrediction: what A said a cause costs, and what B shows without it. */
typedef struct ComparisonPrediction {
	const ComparandFinding *finding; /* of A, gone in B */
	double measured_bytes_per_s;
	int64_t measured_saved_ns; /* INT64_MIN when the sizes differ */
	PredictionOutcome outcome;
} ComparisonPrediction;

/** ComparisonFact: a property of the compared copies that differs. */
typedef struct ComparisonFact {
	const char *id, *label;      /* "dialect", "dialect"; static */
	NumberKind kind;             /* NUMBER_NAME: the texts, else the numbers */
	bool a_known, b_known;       /* of numbers */
	double a, b;                 /* in the unit of the kind */
	const char *a_text, *b_text; /* NULL unknown; of the comparands or static */
	char a_room[64], b_room[64]; /* for texts made here */
} ComparisonFact;

#define COMPARISON_FACTS_MAX 20

typedef struct Comparison {
	Comparand *a, *b; /* not owned */
	ComparisonPair
		*pairs; /* matched ones in order of A, then those of A, then those of B alone */
	size_t pair_count, matched_count;
	int32_t main; /* pair that is compared in depth, -1 none */
	ComparisonOutcome outcome;
	bool sizes_differ;     /* by more than a tenth: rates are compared instead of times */
	int64_t difference_ns; /* B's time less A's */
	double share_of_a; /* B's time (per byte when sizes differ) as a share of A's; 0 unknown */
	int32_t bucket;    /* that explains most of the difference, -1 none */
	double bucket_share; /* of the difference, above 1 when others went the other way */
	const ComparandFinding *cause; /* that explains the difference, of A or B; NULL */
	Confidence confidence;
	GPtrArray *came, *gone, *kept; /* ComparandFinding, each cause once; kept are B's */
	GArray *predictions;           /* ComparisonPrediction */
} Comparison;

/** comparison_new: compares. @a and @b must outlive it. Ownership: comparison_free(). */
Comparison *comparison_new(Comparand *a, Comparand *b);

/** comparison_a, comparison_b: the transfers of a pair, NULL where there is none. */
const ComparandTransfer *comparison_a(const Comparison *comparison, const ComparisonPair *pair);
const ComparandTransfer *comparison_b(const Comparison *comparison, const ComparisonPair *pair);

/** comparison_facts: what differs between the main pair's copies. Returns how many. */
size_t comparison_facts(const Comparison *comparison, ComparisonFact ret[COMPARISON_FACTS_MAX]);

void comparison_free(Comparison *comparison);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparison, comparison_free)

#endif
