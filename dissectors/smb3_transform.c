/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transform header of encrypted SMB3 messages.
 */
#include "dissectors/smb3_transform.h"

#define TRANSFORM_MAGIC 0xFD534D42U /* FD'SMB' */

ParseStatus smb3_transform_parse(Cursor *c, Smb3Transform *ret)
{
	Cursor ahead = *c;
	Smb3Transform t = {0};
	uint32_t magic = cursor_be32(&ahead);

	if (!ahead.bad && magic != TRANSFORM_MAGIC)
		return PARSE_BAD;
	cursor_bytes(&ahead, t.tag, sizeof t.tag);
	cursor_bytes(&ahead, t.nonce, sizeof t.nonce);
	t.original_size = cursor_le32(&ahead);
	cursor_skip(&ahead, 2);
	t.flags = cursor_le16(&ahead);
	t.session_id = cursor_le64(&ahead);
	if (ahead.bad)
		return PARSE_SHORT;
	*c = ahead;
	*ret = t;
	return PARSE_OK;
}
