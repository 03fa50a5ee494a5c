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

static ArenaBlock *block_add(Arena *arena, ArenaBlock *block, size_t bytes)
{
	block->next = arena->blocks;
	arena->blocks = block;
	arena->bytes += bytes;
	return block;
}

/* @size bytes of the current block, or of a new one; not cleared. NULL: they need a block of their
 * own. */
static void *take(Arena *arena, size_t size)
{
	if (size <= (size_t)(arena->end - arena->next)) {
		void *p = arena->next;
		arena->next += size;
		return p;
	}
	if (size > ARENA_BLOCK_BYTES / 4)
		return NULL;
	ArenaBlock *block = block_add(arena, g_malloc(ARENA_BLOCK_BYTES), ARENA_BLOCK_BYTES);
	arena->next = block->data + size;
	arena->end = block->data + ARENA_BLOCK_BYTES - sizeof(ArenaBlock);
	return block->data;
}

static size_t size_of(size_t bytes)
{
	if (bytes > PTRDIFF_MAX - ARENA_BLOCK_BYTES)
		g_error("arena: %zu bytes asked for", bytes);
	size_t size = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	return size > 0 ? size : ARENA_ALIGN;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
	size_t size = size_of(bytes);
	void *p = take(arena, size);
	if (p)
		return memset(p, 0, size);
	/* the system has cleared large ones already */
	size += sizeof(ArenaBlock);
	return block_add(arena, g_malloc0(size), size)->data;
}

/* For what is written in full. */
static void *alloc_uncleared(Arena *arena, size_t bytes)
{
	size_t size = size_of(bytes);
	void *p = take(arena, size);
	if (p)
		return p;
	size += sizeof(ArenaBlock);
	return block_add(arena, g_malloc(size), size)->data;
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
	void *copy = alloc_uncleared(arena, bytes);
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
	char *copy = alloc_uncleared(arena, kept + 1);
	if (kept > 0)
		memcpy(copy, text, kept);
	copy[kept] = '\0';
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
	char *text = alloc_uncleared(arena, (size_t)len + 1);
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
