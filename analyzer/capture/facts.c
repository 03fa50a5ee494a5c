/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects what is known of one input.
 */
#include "analyzer/capture/facts.h"

#include <string.h>

void facts_init(Facts *facts, const char *path)
{
	memset(facts, 0, sizeof(*facts));
	facts->path = g_strdup(path);
	facts->link_types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	facts->interfaces = g_ptr_array_new_with_free_func(g_free);
	facts->comments = g_ptr_array_new_with_free_func(g_free);
	facts->info.path = facts->path;
	facts->info.compression = "none";
	facts->info.damaged_at = -1;
	facts->info.dropped_packets = -1;
}

void facts_set_format(Facts *facts, const char *format)
{
	g_free(facts->format);
	facts->format = g_strdup(format);
	facts->info.format = facts->format;
}

void facts_add_link_type(Facts *facts, uint32_t link_type)
{
	for (guint i = 0; i < facts->link_types->len; i++) {
		if (g_array_index(facts->link_types, uint32_t, i) == link_type)
			return;
	}
	g_array_append_val(facts->link_types, link_type);
	facts->info.link_types = (const uint32_t *)(const void *)facts->link_types->data;
	facts->info.link_type_count = facts->link_types->len;
}

/* bytes of a capture become text: valid UTF-8, no control characters, not too long */
static char *facts_text(const uint8_t *bytes, size_t len)
{
	if (len > FACTS_MAX_TEXT)
		len = FACTS_MAX_TEXT;
	if (len == 0)
		return g_strdup("");
	const uint8_t *zero = memchr(bytes, 0, len);
	if (zero)
		len = (size_t)(zero - bytes);
	char *text = g_utf8_make_valid((const char *)bytes, (gssize)len);
	for (char *p = text; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		if (c < 0x20 || c == 0x7f)
			*p = ' ';
		else if (c >= 0x80 && c < 0xa0) /* C1 controls take two bytes */
			p[0] = p[1] = ' ';
	}
	return text;
}

int32_t facts_add_interface(Facts *facts, const uint8_t *name, size_t len)
{
	if (facts->interfaces->len >= FACTS_MAX_INTERFACES)
		return -1;
	g_ptr_array_add(facts->interfaces, facts_text(name, name ? len : 0));
	facts->info.interfaces = (const char *const *)(void *)facts->interfaces->pdata;
	facts->info.interface_count = facts->interfaces->len;
	return (int32_t)facts->interfaces->len - 1;
}

void facts_add_comment(Facts *facts, const uint8_t *text, size_t len)
{
	if (facts->comments->len >= FACTS_MAX_COMMENTS || !text || len == 0)
		return;
	g_ptr_array_add(facts->comments, facts_text(text, len));
	facts->info.comments = (const char *const *)(void *)facts->comments->pdata;
	facts->info.comment_count = facts->comments->len;
}

void facts_add_dropped(Facts *facts, uint64_t count)
{
	int64_t *dropped = &facts->info.dropped_packets;
	if (*dropped < 0)
		*dropped = 0;
	if (count > (uint64_t)(INT64_MAX - *dropped))
		*dropped = INT64_MAX;
	else
		*dropped += (int64_t)count;
}

void facts_damage(Facts *facts, uint64_t offset, const char *sentence)
{
	if (facts->damage)
		return;
	facts->damage = g_strdup(sentence);
	facts->info.damage = facts->damage;
	facts->info.damaged_at = offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
}

void facts_clear(Facts *facts)
{
	g_free(facts->path);
	g_free(facts->format);
	g_free(facts->damage);
	g_array_unref(facts->link_types);
	g_ptr_array_unref(facts->interfaces);
	g_ptr_array_unref(facts->comments);
	memset(facts, 0, sizeof(*facts));
}
