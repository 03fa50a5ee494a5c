/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every cause owes, whoever wrote it.
 */
#include <ctype.h>
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "analyzer/causes/cause.h"
#include "reports/guide.h"

static bool is_kebab(const char *id)
{
	for (const char *p = id; *p; p++) {
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '-')
			return false;
	}
	return *id != '\0';
}

static bool is_sentence(const char *text)
{
	size_t len = strlen(text);
	return len > 40 && text[len - 1] == '.' && isupper((unsigned char)text[0]) &&
	       !strstr(text, "  ") && !strchr(text, '\t');
}

static const char *const guide_platforms[] = {"Any", "Network", "Windows", "Windows client",
	"Windows server", "Linux", "Linux client (cifs)", "macOS", "Samba", "NAS or appliance",
	"FTP client", "FTP server"};

static bool is_platform(const char *name)
{
	for (size_t i = 0; i < sizeof(guide_platforms) / sizeof(*guide_platforms); i++) {
		if (strcmp(guide_platforms[i], name) == 0)
			return true;
	}
	return false;
}

static unsigned count_places(const char *text)
{
	unsigned count = 0;
	for (const char *p = text; (p = strstr(p, "{}")); p += 2)
		count++;
	return count;
}

/* A line of a guide: something is said, and it ends. */
static bool is_line(const char *text)
{
	return text && text[0] && strchr(".?", text[strlen(text) - 1]) && !strstr(text, "  ");
}

Test(causes_table, guides_are_complete)
{
	for (const Cause *const *a = cause_table; *a; a++) {
		const Cause *c = *a;
		const CauseGuide *g = &c->guide;
		cr_assert(is_line(g->rule), "%s: rule", c->id);
		cr_assert(is_line(g->needs), "%s: needs", c->id);
		cr_assert(is_line(g->confidence), "%s: confidence", c->id);
		cr_assert(is_line(g->next_test), "%s: test", c->id);
		cr_assert(is_line(g->traps[0]), "%s: traps", c->id);
		cr_assert_not_null(g->advice[0].text, "%s: advice", c->id);
		unsigned places = count_places(g->rule) + count_places(g->needs) +
				  count_places(g->confidence);
		for (int i = 0; i < GUIDE_MAX_TRAPS && g->traps[i]; i++) {
			cr_assert(is_line(g->traps[i]), "%s: trap %d", c->id, i);
			places += count_places(g->traps[i]);
		}
		unsigned numbers = 0;
		for (int i = 0; i < GUIDE_MAX_NUMBERS; i++)
			numbers += g->numbers[i].kind != NUMBER_BYTES || g->numbers[i].value != 0;
		cr_assert_eq(places, numbers, "%s: %u places, %u numbers", c->id, places, numbers);
		for (int i = 0; i < GUIDE_MAX_ADVICE && g->advice[i].text; i++) {
			cr_assert(is_line(g->advice[i].text), "%s: advice %d", c->id, i);
			cr_assert(is_platform(g->advice[i].platform), "%s: %s", c->id,
				g->advice[i].platform);
		}
	}
}

Test(causes_table, numbers_take_their_places)
{
	static const GuideNumber numbers[] = {GUIDE_BYTES(65536), GUIDE_BYTES(4000000),
		GUIDE_BYTES(65535), GUIDE_NS(2500000), GUIDE_SHARE(0.05), GUIDE_COUNT(1.5),
		GUIDE_RATE(1e6)};
	unsigned index = 0;
	g_autofree char *text = guide_expand("{}, {}, {}, {}, {}, {}, {}", numbers, &index);
	cr_assert_str_eq(text, "64 KiB, 4 MB, 65535 bytes, 2.5 ms, 5 %, 1.5, 1.0 MB/s");
	cr_assert_eq(index, 7);
}

Test(causes_table, the_nearest_name_is_found)
{
	cr_assert_eq(guide_nearest("recieve-window-small"), cause_find("receive-window-small"));
	cr_assert_eq(guide_nearest("recive-window"), cause_find("receive-window-small"));
	cr_assert_eq(guide_nearest("nagle"), cause_find("delayed-ack-nagle"));
	cr_assert_eq(guide_nearest("zerowindow"), cause_find("zero-window"));
	cr_assert_null(guide_nearest("no-such-cause-at-all"));
	cr_assert_null(guide_nearest("xqzt"));
}

Test(causes_table, descriptors_are_complete_and_precedences_unique)
{
	size_t count = 0;
	for (const Cause *const *a = cause_table; *a; a++, count++) {
		const Cause *c = *a;
		cr_assert(is_kebab(c->id), "%s", c->id);
		cr_assert_eq(cause_find(c->id), c);
		cr_assert(c->title && strlen(c->title) > 5 && strlen(c->title) < 80, "%s", c->id);
		cr_assert(c->explanation && is_sentence(c->explanation), "%s", c->id);
		cr_assert(c->source && *c->source, "%s", c->id);
		cr_assert(c->precedence >= 100 && c->precedence < 800, "%s", c->id);
		for (const Cause *const *b = a + 1; *b; b++)
			cr_assert_neq(
				c->precedence, (*b)->precedence, "%s and %s", c->id, (*b)->id);
	}
	cr_assert_gt(count, 30);
	cr_assert_null(cause_find("no-such-cause"));
}
