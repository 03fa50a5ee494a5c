/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is learnt about one input while it is read: the InputInfo of reader.h and the memory behind
 * it, every list capped.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_FACTS_H
#define SLOWCOPY_ANALYZER_CAPTURE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/capture/reader.h"

/* Comments kept of one input, and bytes of each: enough to quote, and bounded. */
#define FACTS_MAX_COMMENTS 64
#define FACTS_MAX_TEXT 512
/* Interfaces of one input; Packet.interface has 16 bits. */
#define FACTS_MAX_INTERFACES 65535

/** Facts: the first member is what reader_input() shows. */
typedef struct Facts {
	InputInfo info;
	char *path;
	char *format;
	char *damage;
	GArray *link_types;    /* uint32_t */
	GPtrArray *interfaces; /* char * */
	GPtrArray *comments;   /* char * */
	uint64_t filtered;     /* packets the filter kept out */
} Facts;

/** facts_init: nothing known yet of @path. The caller clears with facts_clear(). */
void facts_init(Facts *facts, const char *path);

/** facts_set_format: see InputInfo.format. */
void facts_set_format(Facts *facts, const char *format);

/** facts_add_link_type: remembers @link_type once. */
void facts_add_link_type(Facts *facts, uint32_t link_type);

/** facts_add_interface: @len bytes of name at @name (NULL: no name). Returns its index in
 * info.interfaces, or -1 when there are too many. */
int32_t facts_add_interface(Facts *facts, const uint8_t *name, size_t len);

/** facts_add_comment: keeps @len bytes at @text, made valid UTF-8, unless there are enough. */
void facts_add_comment(Facts *facts, const uint8_t *text, size_t len);

/** facts_add_dropped: the capture says that it lost @count packets more. */
void facts_add_dropped(Facts *facts, uint64_t count);

/** facts_damage: keeps the first damage: where, and one sentence. Copies @sentence. */
void facts_damage(Facts *facts, uint64_t offset, const char *sentence);

void facts_clear(Facts *facts);

#endif
