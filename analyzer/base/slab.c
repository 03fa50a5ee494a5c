/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cells of one size. Chunks double from a few KiB to 1 MiB, so that a small capture stays small and
 * a big one needs few. Under AddressSanitizer, free cells are poisoned: use after slab_give() is
 * reported like use after free.
 */
#include "analyzer/base/slab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SLAB_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLAB_POISON 1
#endif
#endif
#ifdef SLAB_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define CACHE_LINE 64
#define SMALL_ALIGN 16
/* From here on a line more is little. */
#define ODD_CELL_BYTES 2048
#define FIRST_CHUNK_BYTES (8 * 1024)
#define MAX_CHUNK_BYTES (1024 * 1024)

typedef struct SlabChunk {
	struct SlabChunk *next;
	size_t bytes;
} SlabChunk;

typedef struct FreeCell {
	struct FreeCell *next;
} FreeCell;

struct Slab {
	size_t cell_bytes; /* rounded up to the alignment */
	size_t max_cells;
	size_t made; /* cells cut from chunks */
	size_t taken;
	uint64_t refused;
	size_t bytes;
	size_t chunk_bytes;  /* of the next chunk */
	uint8_t *next, *end; /* part of the newest chunk not yet cut */
	FreeCell *free_cells;
	SlabChunk *chunks;
};

Slab *slab_new(size_t cell_bytes, size_t max_cells)
{
	Slab *slab = calloc(1, sizeof *slab);
	if (!slab)
		return NULL;
	size_t align = cell_bytes >= CACHE_LINE ? CACHE_LINE : SMALL_ALIGN;
	slab->cell_bytes = ((cell_bytes ? cell_bytes : 1) + align - 1) / align * align;
	/* cells an even number of lines apart leave sets of the cache unused that others fight for
	 */
	if (slab->cell_bytes >= ODD_CELL_BYTES && slab->cell_bytes / CACHE_LINE % 2 == 0)
		slab->cell_bytes += CACHE_LINE;
	slab->max_cells = max_cells;
	slab->chunk_bytes = FIRST_CHUNK_BYTES;
	slab->bytes = sizeof *slab;
	return slab;
}

static bool slab_add_chunk(Slab *slab)
{
	size_t cells = slab->chunk_bytes / slab->cell_bytes;
	if (cells == 0)
		cells = 1;
	if (cells > slab->max_cells - slab->made)
		cells = slab->max_cells - slab->made;
	/* the head of a chunk fills a line of its own, so that cells stay aligned; aligned_alloc
	 * wants a multiple of the alignment */
	size_t bytes = CACHE_LINE + cells * slab->cell_bytes;
	bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	SlabChunk *chunk = aligned_alloc(CACHE_LINE, bytes);
	if (!chunk)
		return false;
	*chunk = (SlabChunk){.next = slab->chunks, .bytes = bytes};
	slab->chunks = chunk;
	slab->bytes += bytes;
	slab->next = (uint8_t *)chunk + CACHE_LINE;
	slab->end = slab->next + cells * slab->cell_bytes;
	ASAN_POISON_MEMORY_REGION(slab->next, (size_t)(slab->end - slab->next));
	if (slab->chunk_bytes < MAX_CHUNK_BYTES)
		slab->chunk_bytes *= 2;
	return true;
}

void *slab_take(Slab *slab)
{
	void *cell = slab->free_cells;
	if (cell) {
		slab->free_cells = slab->free_cells->next;
	} else {
		if (slab->made == slab->max_cells ||
			(slab->next == slab->end && !slab_add_chunk(slab))) {
			slab->refused++;
			return NULL;
		}
		cell = slab->next;
		slab->next += slab->cell_bytes;
		slab->made++;
	}
	ASAN_UNPOISON_MEMORY_REGION(cell, slab->cell_bytes);
	memset(cell, 0, slab->cell_bytes);
	slab->taken++;
	return cell;
}

void slab_give(Slab *slab, void *cell)
{
	if (!cell)
		return;
	FreeCell *free_cell = cell;
	free_cell->next = slab->free_cells;
	slab->free_cells = free_cell;
	slab->taken--;
	/* the link stays readable */
	ASAN_POISON_MEMORY_REGION(
		(uint8_t *)cell + sizeof *free_cell, slab->cell_bytes - sizeof *free_cell);
}

size_t slab_count(const Slab *slab)
{
	return slab->taken;
}

uint64_t slab_refused(const Slab *slab)
{
	return slab->refused;
}

size_t slab_bytes(const Slab *slab)
{
	return slab->bytes;
}

void slab_free(Slab *slab)
{
	if (!slab)
		return;
	for (SlabChunk *chunk = slab->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		ASAN_UNPOISON_MEMORY_REGION(chunk, chunk->bytes);
		free(chunk);
	}
	free(slab);
}
