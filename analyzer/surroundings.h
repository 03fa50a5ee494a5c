/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a transfer is compared with: the units between the same two hosts and the connections of
 * either host, found without looking through everything for each of them.
 */
#ifndef SLOWCOPY_ANALYZER_SURROUNDINGS_H
#define SLOWCOPY_ANALYZER_SURROUNDINGS_H

#include <stdint.h>

#include "analyzer/transfer/tracker.h"

/* Connections of one host beside those with the same peer: the largest. Smaller ones than the
 * largest thousands take no share of a link that anybody would notice. */
#define SURROUNDINGS_MAX_CONNECTIONS 2048

typedef struct Surroundings Surroundings;

/**
 * surroundings_new: over @units and @facts, which are borrowed and must not change. Ownership: the
 * caller frees with surroundings_free().
 */
Surroundings *surroundings_new(Unit *const *units, uint32_t unit_count,
	const ConnectionFacts *const *facts, uint32_t fact_count);

/** surroundings_units: those between the hosts of @unit, itself among them, in their order. */
const Unit *const *surroundings_units(
	Surroundings *surroundings, const Unit *unit, uint32_t *ret_count);

/** surroundings_connections: those of either host of @unit, all that are between the two and the
 * largest of the others, in their order. */
const ConnectionFacts *const *surroundings_connections(
	Surroundings *surroundings, const Unit *unit, uint32_t *ret_count);

/** surroundings_files: the units that belong to the job @serial, in their order; NULL when none. */
const Unit *const *surroundings_files(
	Surroundings *surroundings, uint64_t serial, uint32_t *ret_count);

/** surroundings_free: NULL is allowed. */
void surroundings_free(Surroundings *surroundings);

#endif
