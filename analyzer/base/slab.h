/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cells of one size with a free list: flows, transfers, requests. Grows by chunks up to a cap;
 * memory goes back to the system with slab_free() only, since the next capture second needs it
 * again.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_SLAB_H
#define SLOWCOPY_ANALYZER_BASE_SLAB_H

#include <stddef.h>
#include <stdint.h>

typedef struct Slab Slab;

/**
 * slab_new: cells of @cell_bytes (>= 1), at most @max_cells of them; allocates no cell yet.
 * Cells of 64 bytes and more are aligned to 64, smaller ones to 16. NULL when memory is refused.
 */
Slab *slab_new(size_t cell_bytes, size_t max_cells);

/** slab_take: a zeroed cell, or NULL (counted) when the cap is reached or the system has no memory.
 */
void *slab_take(Slab *slab);

/** slab_give: returns a cell of this slab; NULL is allowed. */
void slab_give(Slab *slab, void *cell);

/** slab_count: cells taken and not given back. */
size_t slab_count(const Slab *slab);

/** slab_refused: how often slab_take() returned NULL. */
uint64_t slab_refused(const Slab *slab);

/** slab_bytes: memory held. */
size_t slab_bytes(const Slab *slab);

/** slab_free: frees all cells, taken or not; NULL is allowed. */
void slab_free(Slab *slab);

#endif
