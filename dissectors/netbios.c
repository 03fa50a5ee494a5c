/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS session service framing and packets.
 */
#include "dissectors/netbios.h"

/* Two second-level encoded names of at most 255 bytes each, RFC 1002 4.1. */
#define SESSION_REQUEST_MAX 510

const char *netbios_command_name(uint16_t type)
{
	switch (type) {
	case NETBIOS_MESSAGE:
		return "message";
	case NETBIOS_SESSION_REQUEST:
		return "session-request";
	case NETBIOS_POSITIVE_RESPONSE:
		return "positive-response";
	case NETBIOS_NEGATIVE_RESPONSE:
		return "negative-response";
	case NETBIOS_RETARGET_RESPONSE:
		return "retarget-response";
	case NETBIOS_KEEP_ALIVE:
		return "keep-alive";
	default:
		return NULL;
	}
}

/* RFC 1002 4.3.2-4.3.7: how long each kind of packet can be. */
static bool length_fits_type(uint8_t type, uint32_t length)
{
	switch (type) {
	case NETBIOS_MESSAGE:
		return true;
	case NETBIOS_SESSION_REQUEST:
		return length <= SESSION_REQUEST_MAX;
	case NETBIOS_POSITIVE_RESPONSE:
	case NETBIOS_KEEP_ALIVE:
		return length == 0;
	case NETBIOS_NEGATIVE_RESPONSE:
		return length <= 1;
	case NETBIOS_RETARGET_RESPONSE:
		return length == 6;
	default:
		return false;
	}
}

ParseStatus netbios_header_parse(Cursor *c, bool over_netbios, NetbiosHeader *ret)
{
	Cursor ahead = *c;
	uint8_t type = cursor_u8(&ahead);
	uint32_t length = cursor_be24(&ahead);

	if (ahead.bad)
		return PARSE_SHORT;
	if ((over_netbios || type != NETBIOS_MESSAGE) && length > 0x1FFFF)
		return PARSE_BAD;
	if (!length_fits_type(type, length))
		return PARSE_BAD;
	*c = ahead;
	ret->type = type;
	ret->length = length;
	return PARSE_OK;
}

void netbios_decode(Cursor c, bool from_client, const MessageSink *sink)
{
	Message m = {.protocol = MESSAGE_NETBIOS, .count = 1};
	uint8_t type = cursor_u8(&c);

	m.command = type;
	m.flags = MESSAGE_LAST | (from_client ? MESSAGE_FROM_CLIENT : 0U);
	cursor_skip(&c, 3);
	switch (type) {
	case NETBIOS_SESSION_REQUEST:
		m.kind = MESSAGE_REQUEST;
		break;
	case NETBIOS_POSITIVE_RESPONSE:
		m.kind = MESSAGE_REPLY;
		break;
	case NETBIOS_NEGATIVE_RESPONSE:
		m.kind = MESSAGE_REPLY;
		m.status = cursor_u8(&c); /* error code, RFC 1002 4.3.4 */
		m.status_class = STATUS_CLASS_ERROR;
		break;
	case NETBIOS_RETARGET_RESPONSE:
		m.kind = MESSAGE_REPLY;
		m.status_class = STATUS_CLASS_MORE;
		m.endpoint[10] = m.endpoint[11] = 0xFF;
		cursor_bytes(&c, m.endpoint + 12, 4);
		m.endpoint_port = cursor_be16(&c);
		break;
	default:
		m.kind = MESSAGE_NOTICE;
		m.verb = type == NETBIOS_KEEP_ALIVE ? VERB_ECHO : VERB_OTHER;
		break;
	}
	if (c.bad)
		m.flags |= MESSAGE_TRUNCATED;
	sink->message(sink->user, &m);
}
