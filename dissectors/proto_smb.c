/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Framing of SMB on TCP: which kind of message begins here, how long it is, who decodes it.
 * Source: MS-SMB2 2.1, RFC 1002 4.3.
 */
#include "dissectors/proto_smb.h"

#include "dissectors/cursor.h"
#include "dissectors/netbios.h"
#include "dissectors/smb1_header.h"
#include "dissectors/smb2_header.h"
#include "dissectors/smb3_compression.h"
#include "dissectors/smb3_transform.h"

#define MAGIC_LEN 4
#define SMB1_MIN_LEN 35 /* header, WordCount, ByteCount */
#define SMB2_MIN_LEN 64
#define COMPRESSION_MIN_LEN 16 /* MS-SMB2 2.2.42.1 */
/* A message cannot be longer than its framing could tell, compressed or not. */
#define MAX_ORIGINAL_LEN (1U << 24)

typedef enum SmbKind {
	SMB_NONE,
	SMB_1,
	SMB_2,
	SMB_ENCRYPTED,
	SMB_COMPRESSED,
} SmbKind;

/* Kind of the message whose first MAGIC_LEN bytes are at @data. */
static SmbKind kind_of(const uint8_t *data)
{
	Cursor c = {.start = data, .len = MAGIC_LEN};

	switch (cursor_be32(&c)) {
	case 0xFF534D42: /* FF'SMB' */
		return SMB_1;
	case 0xFE534D42:
		return SMB_2;
	case 0xFD534D42:
		return SMB_ENCRYPTED;
	case 0xFC534D42:
		return SMB_COMPRESSED;
	default:
		return SMB_NONE;
	}
}

/* Whether a message of @length bytes can be of @kind. */
static bool length_fits_kind(SmbKind kind, uint32_t length)
{
	switch (kind) {
	case SMB_1:
		return length >= SMB1_MIN_LEN;
	case SMB_2:
		return length >= SMB2_MIN_LEN;
	case SMB_ENCRYPTED:
		return length >= SMB3_TRANSFORM_LEN;
	case SMB_COMPRESSED:
		return length >= COMPRESSION_MIN_LEN;
	case SMB_NONE:
		break;
	}
	return false;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static Probe smb_probe(const uint8_t *data, size_t len, bool from_client)
{
	Cursor c = cursor_over(data, len);
	NetbiosHeader header;

	if (len == 0)
		return PROBE_MAYBE;
	if (len < NETBIOS_HEADER_LEN)
		return data[0] == NETBIOS_MESSAGE || netbios_command_name(data[0]) ? PROBE_MAYBE
										   : PROBE_NO;
	if (netbios_header_parse(&c, false, &header) != PARSE_OK)
		return PROBE_NO;
	if (header.type == NETBIOS_SESSION_REQUEST)
		return from_client && header.length >= 68 ? PROBE_YES : PROBE_NO;
	if (header.type != NETBIOS_MESSAGE)
		return header.type == NETBIOS_KEEP_ALIVE ? PROBE_MAYBE
		       : from_client                     ? PROBE_NO
							 : PROBE_YES;
	if (cursor_left(&c) < MAGIC_LEN)
		return PROBE_MAYBE;
	return length_fits_kind(kind_of(data + NETBIOS_HEADER_LEN), header.length) ? PROBE_YES
										   : PROBE_NO;
}

/* A member of a compound that was too large to be staged: it has no framing of its own. */
static ParseStatus frame_member(
	DissectorState *state, unsigned direction, const uint8_t *data, size_t len, Extent *ret)
{
	size_t left = state->compound_left[direction], next, length;

	if (left > PROTOCOL_MAX_STAGED && len < SMB2_MIN_LEN / 2)
		return PARSE_SHORT; /* whether another follows is not to be told yet */
	next = left > PROTOCOL_MAX_STAGED ? smb2_next_command(data, len, left) : 0;
	length = next ? next : left;
	ret->total = length;
	ret->want = (uint32_t)smaller(smb2_staging(data, len, length), PROTOCOL_MAX_STAGED);
	ret->is_message = true;
	return PARSE_OK;
}

/* Whether bare data of an SMB1 raw read or write comes here. */
static bool is_raw(const DissectorState *state, const uint8_t *body, size_t kept, size_t length,
	bool from_client)
{
	return (state->raw_read_pending || state->raw_write_pending) &&
	       smb1_raw_expected(state, body, kept, length, from_client);
}

static ParseStatus frame_message(DissectorState *state, const uint8_t *data, size_t len,
	uint32_t length, bool from_client, Extent *ret)
{
	size_t at = NETBIOS_HEADER_LEN, next = 0, want;
	const uint8_t *body = data + at;
	size_t kept = len - at;
	SmbKind kind;

	if (length >= MAGIC_LEN && kept < MAGIC_LEN)
		return PARSE_SHORT;
	ret->is_message = true;
	ret->total = at + (uint64_t)length;
	if (is_raw(state, body, kept, length, from_client)) {
		ret->want = (uint32_t)at;
		return PARSE_OK;
	}
	kind = length >= MAGIC_LEN ? kind_of(body) : SMB_NONE;
	if (!length_fits_kind(kind, length))
		return PARSE_BAD;
	if (kind == SMB_1) {
		want = smb1_staging(body, kept, length);
	} else if (kind == SMB_2) {
		if (ret->total > PROTOCOL_MAX_STAGED)
			next = smb2_next_command(body, kept, length);
		if (next)
			ret->total = at + next;
		want = smb2_staging(body, kept, ret->total - at);
	} else if (kind == SMB_ENCRYPTED && !state->stage_encrypted) {
		want = SMB3_TRANSFORM_LEN;
	} else {
		want = length;
	}
	ret->want = (uint32_t)smaller(at + want, smaller(PROTOCOL_MAX_STAGED, ret->total));
	return PARSE_OK;
}

static ParseStatus smb_frame(
	DissectorState *state, const uint8_t *data, size_t len, bool from_client, Extent *ret)
{
	unsigned direction = from_client ? 0 : 1;
	Cursor c = cursor_over(data, len);
	NetbiosHeader header;
	ParseStatus status;

	if (state->compound_left[direction]) {
		if (len < MAGIC_LEN)
			return PARSE_SHORT;
		if (kind_of(data) == SMB_2)
			return frame_member(state, direction, data, len, ret);
		/* the compound was lost in a hole: what follows is a message again */
		state->compound_left[direction] = 0;
		state->compound_index[direction] = 0;
	}
	if (len > NETBIOS_HEADER_LEN && data[0] == NETBIOS_MESSAGE && !state->over_netbios) {
		Cursor head = {.start = data, .pos = 1, .len = NETBIOS_HEADER_LEN};
		return frame_message(state, data, len, cursor_be24(&head), from_client, ret);
	}
	status = netbios_header_parse(&c, state->over_netbios, &header);
	if (status != PARSE_OK)
		return status;
	if (header.type != NETBIOS_MESSAGE) {
		ret->total = NETBIOS_HEADER_LEN + (uint64_t)header.length;
		ret->want = (uint32_t)smaller(ret->total, NETBIOS_HEADER_LEN + 6);
		ret->is_message = false;
		return PARSE_OK;
	}
	return frame_message(state, data, len, header.length, from_client, ret);
}

static void decode_encrypted(
	const uint8_t *data, size_t len, size_t length, uint32_t direction, const MessageSink *sink)
{
	Cursor c = cursor_over(data, len);
	Smb3Transform t;
	Message m = {.kind = MESSAGE_OPAQUE,
		.protocol = MESSAGE_SMB2,
		.command = UINT16_MAX, /* not to be told */
		.count = 1};

	m.flags = MESSAGE_ENCRYPTED | MESSAGE_LAST | direction;
	m.opaque_length = length - SMB3_TRANSFORM_LEN; /* unless the header says otherwise */
	if (smb3_transform_parse(&c, &t) == PARSE_OK) {
		m.session_id = t.session_id;
		if (t.original_size <= length - SMB3_TRANSFORM_LEN)
			m.opaque_length = t.original_size;
		else if (sink->anomaly)
			sink->anomaly(sink->user, "smb3-bad-transform");
	} else {
		m.flags |= MESSAGE_TRUNCATED;
	}
	sink->message(sink->user, &m);
}

/* The head is decompressed; when that fails only the size is told. @wire_len: of what is wrapped,
 * @flags: MESSAGE_FROM_CLIENT and MESSAGE_ENCRYPTED. */
static void decode_compressed(DissectorState *state, const uint8_t *data, size_t len,
	uint64_t wire_len, uint32_t flags, const MessageSink *sink)
{
	uint8_t plain[PROTOCOL_MAX_STAGED];
	Smb3CompressedHead head = {0};
	ParseStatus status = smb3_decompress_head(data, len, plain, sizeof plain, &head);
	Message m = {.kind = MESSAGE_OPAQUE,
		.protocol = MESSAGE_SMB2,
		.command = UINT16_MAX,
		.count = 1};

	if (status == PARSE_OK && head.len >= SMB2_MIN_LEN / 2 && kind_of(plain) == SMB_2 &&
		head.original_len >= head.len && head.original_len <= MAX_ORIGINAL_LEN) {
		Smb2Input in = {.data = plain,
			.len = head.len,
			.wire_len = (size_t)head.original_len,
			.extra_flags = MESSAGE_COMPRESSED | (flags & MESSAGE_ENCRYPTED),
			.opaque_length = wire_len,
			.from_client = flags & MESSAGE_FROM_CLIENT};
		smb2_decode(state, &in, sink);
		return;
	}
	m.flags = MESSAGE_COMPRESSED | MESSAGE_LAST | flags;
	m.opaque_length = head.original_len;
	if (status == PARSE_SHORT)
		m.flags |= MESSAGE_TRUNCATED;
	else if (status == PARSE_BAD && sink->anomaly)
		sink->anomaly(sink->user, "smb3-bad-compression");
	sink->message(sink->user, &m);
}

bool smb_plain_decode(DissectorState *state, const SmbPlain *plain, const MessageSink *sink)
{
	Smb2Input in = {.data = plain->data,
		.len = plain->len,
		.wire_len = plain->original_len,
		.extra_flags = MESSAGE_ENCRYPTED,
		.opaque_length = plain->wire_len,
		.from_client = plain->from_client};
	SmbKind kind = plain->len < SMB2_MIN_LEN / 2 ? SMB_NONE : kind_of(plain->data);

	if (kind == SMB_2)
		smb2_decode(state, &in, sink);
	else if (kind == SMB_COMPRESSED)
		decode_compressed(state, plain->data, plain->len, plain->wire_len,
			MESSAGE_ENCRYPTED | (plain->from_client ? MESSAGE_FROM_CLIENT : 0U), sink);
	return kind == SMB_2 || kind == SMB_COMPRESSED;
}

static void decode_smb2(DissectorState *state, const uint8_t *data, size_t len, size_t total,
	size_t at, size_t left_after, bool from_client, const MessageSink *sink)
{
	Smb2Input in = {.data = data + at,
		.len = len - at,
		.wire_len = total - at,
		.left_after = left_after,
		.at = at,
		.from_client = from_client};

	state->compound_left[from_client ? 0 : 1] = (uint32_t)left_after;
	smb2_decode(state, &in, sink);
}

static void decode_message(DissectorState *state, const uint8_t *data, size_t len, uint32_t length,
	size_t total, bool from_client, const MessageSink *sink)
{
	size_t at = NETBIOS_HEADER_LEN;
	uint32_t direction = from_client ? MESSAGE_FROM_CLIENT : 0U;
	Smb1Input smb1 = {data + at, len - at, length, at, from_client};

	if (is_raw(state, data + at, len - at, length, from_client)) {
		smb1_raw_decode(state, length, at, from_client, sink);
		return;
	}
	switch (len - at < MAGIC_LEN ? SMB_NONE : kind_of(data + at)) {
	case SMB_1:
		smb1_decode(state, &smb1, sink);
		break;
	case SMB_2:
		decode_smb2(state, data, len, total, at, at + length - total, from_client, sink);
		break;
	case SMB_ENCRYPTED:
		decode_encrypted(data + at, len - at, length, direction, sink);
		break;
	case SMB_COMPRESSED:
		decode_compressed(state, data + at, len - at, length, direction, sink);
		break;
	case SMB_NONE:
		if (sink->anomaly)
			sink->anomaly(sink->user, "header-cut");
		break;
	}
}

static void smb_decode(DissectorState *state, const uint8_t *data, size_t len, const Extent *extent,
	bool from_client, MessageSink *sink)
{
	unsigned direction = from_client ? 0 : 1;
	Cursor c = {.start = data, .len = NETBIOS_HEADER_LEN};
	uint8_t type;
	uint32_t length;

	if (state->compound_left[direction] && len >= MAGIC_LEN && kind_of(data) == SMB_2) {
		size_t left = state->compound_left[direction];
		decode_smb2(state, data, len, extent->total, 0,
			left > extent->total ? left - extent->total : 0, from_client, sink);
		return;
	}
	if (len < NETBIOS_HEADER_LEN) {
		if (sink->anomaly)
			sink->anomaly(sink->user, "header-cut");
		return;
	}
	/* frame() has checked what these four bytes say */
	type = cursor_u8(&c);
	length = cursor_be24(&c);
	if (type == NETBIOS_SESSION_REQUEST)
		state->over_netbios = true; /* whatever the port */
	if (type != NETBIOS_MESSAGE) {
		netbios_decode(cursor_over(data, len), from_client, sink);
	} else {
		decode_message(state, data, len, length, extent->total, from_client, sink);
	}
}

static long smb_resync(const uint8_t *data, size_t len, bool from_client)
{
	size_t from = NETBIOS_HEADER_LEN + 1;

	(void)from_client; /* which side is the client may be a guess: the magic is not */
	while (from + 3 <= len) {
		const uint8_t *found = memmem(data + from, len - from, "SMB", 3);
		size_t at;
		Cursor c;
		NetbiosHeader header;
		if (!found)
			break;
		at = (size_t)(found - data) - 1 - NETBIOS_HEADER_LEN;
		c = cursor_over(data + at, len - at);
		if (netbios_header_parse(&c, false, &header) == PARSE_OK &&
			header.type == NETBIOS_MESSAGE &&
			length_fits_kind(kind_of(data + at + NETBIOS_HEADER_LEN), header.length))
			return (long)at;
		from = (size_t)(found - data) + 1;
	}
	return -1;
}

const Protocol protocol_smb = {
	.id = "smb",
	.title = "Windows file sharing (SMB)",
	.ports = {445, 139},
	.probe = smb_probe,
	.frame = smb_frame,
	.decode = smb_decode,
	.resync = smb_resync,
};
