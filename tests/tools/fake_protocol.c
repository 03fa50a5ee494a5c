/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol of tests.
 */
#include "tests/tools/fake_protocol.h"

#include <string.h>

#include "dissectors/cursor.h"

#define FAKE_WANT 16

size_t fake_message(uint8_t *out, MessageKind kind, MessageVerb verb, uint16_t id, size_t body_len,
	uint8_t first)
{
	const uint8_t header[FAKE_HEADER_LEN] = {'M', 'G', (uint8_t)kind, (uint8_t)verb,
		(uint8_t)(id >> 8), (uint8_t)id, (uint8_t)(body_len >> 8), (uint8_t)body_len};
	memcpy(out, header, sizeof header);
	for (size_t i = 0; i < body_len; i++)
		out[FAKE_HEADER_LEN + i] = (uint8_t)(first + i);
	return FAKE_HEADER_LEN + body_len;
}

static Probe fake_probe(const uint8_t *data, size_t len, bool from_client)
{
	(void)from_client;
	if (len < 2)
		return len == 0 || data[0] == 'M' ? PROBE_MAYBE : PROBE_NO;
	return data[0] == 'M' && data[1] == 'G' ? PROBE_YES : PROBE_NO;
}

static ParseStatus fake_frame(
	DissectorState *state, const uint8_t *data, size_t len, bool from_client, Extent *ret)
{
	Cursor c = cursor_over(data, len);
	(void)state;
	(void)from_client;
	uint8_t m = cursor_u8(&c);
	uint8_t g = cursor_u8(&c);
	if ((len > 0 && m != 'M') || (len > 1 && g != 'G'))
		return PARSE_BAD;
	cursor_skip(&c, 4);
	uint16_t body = cursor_be16(&c);
	if (c.bad)
		return PARSE_SHORT;
	ret->total = FAKE_HEADER_LEN + (uint64_t)body;
	ret->want = ret->total < FAKE_WANT ? (uint32_t)ret->total : FAKE_WANT;
	ret->is_message = true;
	return PARSE_OK;
}

static void fake_decode(DissectorState *state, const uint8_t *data, size_t len,
	const Extent *extent, bool from_client, MessageSink *sink)
{
	Cursor c = cursor_over(data, len);
	(void)state;
	cursor_skip(&c, 2);
	Message message = {.protocol = MESSAGE_SMB2, .count = 1};
	message.kind = (MessageKind)cursor_u8(&c);
	message.verb = (MessageVerb)cursor_u8(&c);
	message.command = (uint16_t)message.verb;
	message.request_id = cursor_be16(&c);
	cursor_skip(&c, 2);
	message.flags = MESSAGE_LAST | (from_client ? MESSAGE_FROM_CLIENT : 0) |
			(c.bad ? MESSAGE_TRUNCATED : 0);
	message.length = extent->total - FAKE_HEADER_LEN;
	if (cursor_left(&c) > 0) {
		message.file_id[0] = cursor_u8(&c);
		message.flags |= MESSAGE_HAS_FILE_ID;
		message.name = data + FAKE_HEADER_LEN;
		message.name_len = (uint32_t)(len - FAKE_HEADER_LEN);
	}
	message.status_class =
		message.kind == MESSAGE_INTERIM ? STATUS_CLASS_PENDING : STATUS_CLASS_OK;
	if (message.kind > MESSAGE_OPAQUE || message.verb >= VERB_COUNT) {
		if (sink->anomaly)
			sink->anomaly(sink->user, "fake");
		return;
	}
	message.opaque_length = message.length;
	sink->message(sink->user, &message);
}

static long fake_resync(const uint8_t *data, size_t len, bool from_client)
{
	(void)from_client;
	for (size_t i = 0; i + 1 < len; i++) {
		if (data[i] == 'M' && data[i + 1] == 'G')
			return (long)i;
	}
	return -1;
}

const Protocol fake_protocol = {
	.id = "fake",
	.title = "Protocol of tests",
	.ports = {4000},
	.probe = fake_probe,
	.frame = fake_frame,
	.decode = fake_decode,
	.resync = fake_resync,
};

const Protocol *const fake_table[] = {&fake_protocol, NULL};
