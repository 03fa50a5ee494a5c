/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interned strings: text in an arena, found through an open-addressing table that doubles.
 */
#include "analyzer/base/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/arena.h"
#include "analyzer/base/hash.h"

#define FIRST_SLOTS 64

typedef struct NameSlot {
	uint64_t hash;
	const char *text; /* NULL: free */
	size_t len;
} NameSlot;

struct Names {
	Arena *arena;
	NameSlot *slots;
	size_t slot_count; /* power of two */
	size_t count, max_count;
	size_t text_bytes, max_bytes;
	uint64_t refused, shortened;
};

Names *names_new(size_t max_count, size_t max_bytes)
{
	Names *names = calloc(1, sizeof *names);
	if (!names)
		return NULL;
	names->slots = calloc(FIRST_SLOTS, sizeof *names->slots);
	if (!names->slots) {
		free(names);
		return NULL;
	}
	names->arena = arena_new();
	names->slot_count = FIRST_SLOTS;
	names->max_count = max_count;
	names->max_bytes = max_bytes;
	return names;
}

/* The slot of the text, or the free one where it belongs. */
static NameSlot *slot_of(const Names *names, uint64_t hash, const char *text, size_t len)
{
	size_t mask = names->slot_count - 1;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		NameSlot *slot = &names->slots[i];
		if (!slot->text)
			return slot;
		if (slot->hash == hash && slot->len == len && memcmp(slot->text, text, len) == 0)
			return slot;
	}
}

static bool slots_double(Names *names)
{
	NameSlot *old = names->slots;
	size_t old_count = names->slot_count;
	NameSlot *slots = calloc(old_count * 2, sizeof *slots);
	if (!slots)
		return false;
	names->slots = slots;
	names->slot_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].text)
			*slot_of(names, old[i].hash, old[i].text, old[i].len) = old[i];
	free(old);
	return true;
}

/* Longest prefix of at most @max bytes that does not end inside a UTF-8 character. */
static size_t utf8_prefix(const char *text, size_t max)
{
	while (max > 0 && ((uint8_t)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

const char *names_add(Names *names, const char *text, size_t len)
{
	char cut[NAMES_MAX_LENGTH + 1];
	bool is_cut = len > NAMES_MAX_LENGTH;
	if (is_cut) {
		size_t mark = strlen(NAMES_CUT_MARK);
		size_t kept = utf8_prefix(text, NAMES_MAX_LENGTH - mark);
		memcpy(cut, text, kept);
		memcpy(cut + kept, NAMES_CUT_MARK, mark);
		text = cut;
		len = kept + mark;
	}
	if (len == 0)
		return "";
	uint64_t hash = hash_bytes(text, len);
	NameSlot *slot = slot_of(names, hash, text, len);
	if (slot->text)
		return slot->text;
	if (names->count >= names->max_count || len >= names->max_bytes - names->text_bytes) {
		names->refused++;
		return NULL;
	}
	if ((names->count + 1) * 4 > names->slot_count * 3) {
		if (!slots_double(names)) {
			names->refused++;
			return NULL;
		}
		slot = slot_of(names, hash, text, len);
	}
	char *copy = arena_alloc(names->arena, len + 1);
	memcpy(copy, text, len);
	*slot = (NameSlot){.hash = hash, .text = copy, .len = len};
	names->count++;
	names->text_bytes += len + 1;
	names->shortened += is_cut;
	return slot->text;
}

size_t names_count(const Names *names)
{
	return names->count;
}

uint64_t names_refused(const Names *names)
{
	return names->refused;
}

uint64_t names_shortened(const Names *names)
{
	return names->shortened;
}

size_t names_bytes(const Names *names)
{
	return sizeof *names + names->slot_count * sizeof *names->slots + arena_bytes(names->arena);
}

void names_free(Names *names)
{
	if (!names)
		return;
	arena_free(names->arena);
	free(names->slots);
	free(names);
}
