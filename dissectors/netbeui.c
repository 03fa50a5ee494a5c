/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS frames: see netbeui.h.
 */
#include "dissectors/netbeui.h"

/* a session frame's header; those with two names have 44 */
#define NBF_SESSION_HEADER_LEN 14
#define NBF_DELIMITER 0xefff
/* commands below carry names where session numbers would be */
#define NBF_FIRST_SESSION_COMMAND 0x14

ParseStatus nbf_header_parse(Cursor *c, NbfHeader *ret)
{
	size_t begin = c->pos;

	if (cursor_left(c) < NBF_SESSION_HEADER_LEN)
		return PARSE_SHORT;
	*ret = (NbfHeader){.header_len = cursor_le16(c)};
	if (cursor_le16(c) != NBF_DELIMITER || ret->header_len < NBF_SESSION_HEADER_LEN)
		return PARSE_BAD;
	ret->command = cursor_u8(c);
	ret->data1 = cursor_u8(c);
	ret->data2 = cursor_le16(c);
	cursor_skip(c, 4); /* correlators */
	if (ret->command >= NBF_FIRST_SESSION_COMMAND) {
		ret->destination = cursor_u8(c);
		ret->source = cursor_u8(c);
	}
	if (cursor_left(c) + (c->pos - begin) < ret->header_len)
		return PARSE_SHORT;
	cursor_skip(c, ret->header_len - (c->pos - begin));
	return c->bad ? PARSE_SHORT : PARSE_OK;
}
