/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bump allocator. Blocks of 4 KiB in a list, which fit into the holes that ended connections leave;
 * what does not fit in a quarter of a block gets one of its own, so that a big array does not waste
 * the rest of the current block.
 */
#include "analyzer/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#define ARENA_ALIGN 16
#define ARENA_BLOCK_BYTES (4 * 1024)

typedef struct ArenaBlock {
	struct ArenaBlock *next;
	size_t unused; /* keeps data[] aligned to ARENA_ALIGN */
	uint8_t data[];
} ArenaBlock;

/* Memory of somebody else that now belongs to the arena. */
typedef struct Adopted {
	struct Adopted *next;
	void *memory;
} Adopted;

struct Arena {
	Adopted *adopted;
	ArenaBlock *blocks;  /* newest first, but for blocks of one big allocation */
	uint8_t *next, *end; /* free part of the current block */
	size_t bytes;
};

_Static_assert(offsetof(ArenaBlock, data) % ARENA_ALIGN == 0, "data of a block is aligned");

Arena *arena_new(void)
{
	Arena *arena = g_new0(Arena, 1);
	arena->bytes = sizeof *arena;
	return arena;
}

static ArenaBlock *arena_add_block(Arena *arena, size_t data_bytes)
{
	size_t bytes = sizeof(ArenaBlock) + data_bytes;
	ArenaBlock *block = g_malloc0(bytes);
	block->next = arena->blocks;
	arena->blocks = block;
	arena->bytes += bytes;
	return block;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
	if (bytes > PTRDIFF_MAX - ARENA_BLOCK_BYTES)
		g_error("arena: %zu bytes asked for", bytes);
	size_t size = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (size == 0)
		size = ARENA_ALIGN;
	if (size <= (size_t)(arena->end - arena->next)) {
		void *p = arena->next;
		arena->next += size;
		return p;
	}
	if (size > ARENA_BLOCK_BYTES / 4)
		return arena_add_block(arena, size)->data;
	ArenaBlock *block = arena_add_block(arena, ARENA_BLOCK_BYTES - sizeof(ArenaBlock));
	arena->next = block->data + size;
	arena->end = block->data + ARENA_BLOCK_BYTES - sizeof(ArenaBlock);
	return block->data;
}

void *arena_alloc_array(Arena *arena, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		g_error("arena: %zu elements of %zu bytes asked for", count, size);
	return arena_alloc(arena, bytes);
}

void *arena_memdup(Arena *arena, const void *data, size_t bytes)
{
	void *copy = arena_alloc(arena, bytes);
	if (bytes > 0)
		memcpy(copy, data, bytes);
	return copy;
}

char *arena_strdup(Arena *arena, const char *text)
{
	return text ? arena_memdup(arena, text, strlen(text) + 1) : NULL;
}

char *arena_strndup(Arena *arena, const char *text, size_t len)
{
	size_t kept = len > 0 ? strnlen(text, len) : 0;
	char *copy = arena_alloc(arena, kept + 1);
	if (kept > 0)
		memcpy(copy, text, kept);
	return copy;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		return arena_alloc(arena, 1);
	char *text = arena_alloc(arena, (size_t)len + 1);
	va_start(args, format);
	(void)vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void *arena_adopt(Arena *arena, void *memory)
{
	if (!memory)
		return NULL;
	Adopted *adopted = arena_alloc(arena, sizeof(*adopted));
	*adopted = (Adopted){arena->adopted, memory};
	arena->adopted = adopted;
	return memory;
}

size_t arena_bytes(const Arena *arena)
{
	return arena->bytes;
}

void arena_free(Arena *arena)
{
	if (!arena)
		return;
	for (Adopted *a = arena->adopted; a; a = a->next)
		free(a->memory);
	for (ArenaBlock *block = arena->blocks, *next; block; block = next) {
		next = block->next;
		g_free(block);
	}
	g_free(arena);
}
