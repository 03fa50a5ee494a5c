/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bump allocator: many small things with one lifetime, freed in one go. A Result and all its
 * strings live in one. Not for the packet path: it never gives memory back before arena_free().
 */
#ifndef SLOWCOPY_ANALYZER_BASE_ARENA_H
#define SLOWCOPY_ANALYZER_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

/** arena_new: an empty arena; takes no block before the first allocation. Ends the program when the
 * system has no memory, as GLib does. */
Arena *arena_new(void);

/** arena_alloc: @bytes zeroed bytes, aligned to 16; never NULL, also for 0 bytes. Live until
 * arena_free(). */
void *arena_alloc(Arena *arena, size_t bytes);

/** arena_alloc_array: @count zeroed elements of @size bytes; ends the program when the product
 * overflows. */
void *arena_alloc_array(Arena *arena, size_t count, size_t size);

/** arena_strdup: a copy of @text; NULL for NULL. */
char *arena_strdup(Arena *arena, const char *text);

/** arena_strndup: a copy of at most @len bytes of @text, ended by NUL; stops at a NUL. */
char *arena_strndup(Arena *arena, const char *text, size_t len);

/** arena_printf: formats into the arena; never NULL. */
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** arena_memdup: a copy of @bytes bytes at @data, aligned to 16. @data may be NULL when @bytes is
 * 0. */
void *arena_memdup(Arena *arena, const void *data, size_t bytes);

/** arena_adopt: @memory, which came from malloc() or is NULL, is freed with the arena. Returns it.
 */
void *arena_adopt(Arena *arena, void *memory);

/** arena_bytes: memory taken from the system, blocks included; adopted memory is not counted. */
size_t arena_bytes(const Arena *arena);

/** arena_free: frees all that was allocated; NULL is allowed. */
void arena_free(Arena *arena);

#endif
