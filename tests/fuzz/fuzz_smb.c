/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB over a byte stream: the input is cut into segments at a separator, each goes to one direction
 * and is copied to a heap block of its own; framing, decoding and finding the next message run as
 * in a stream that keeps at most what the protocol wants.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dissectors/proto_smb.h"
#include "dissectors/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ends a segment; the byte after it: bit 0 direction of the next one, bit 1 the rest of this one
 * was cut by the capture, bit 2 a hole follows, bit 3 the connection is on port 139, bit 4 the
 * session has keys */
static const uint8_t separator[4] = {0xA5, 0x5A, 'c', 'u'};

#define STREAM_ROOM 65536

typedef struct FuzzStream {
	uint8_t bytes[STREAM_ROOM]; /* not consumed yet */
	size_t len;
	uint64_t skip; /* bytes of the current message still to pass */
	bool is_lost;
} FuzzStream;

static FuzzStream streams[2];
static DissectorState state;
static size_t messages;

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void on_message(void *user, const Message *m)
{
	static char text[600];
	const size_t *staged = user;

	messages++;
	check(m->count > m->index);
	check((uint32_t)m->verb < VERB_COUNT);
	check(m->name_len <= *staged);
	check(m->length <= UINT32_MAX || !(m->verb == VERB_READ || m->verb == VERB_WRITE));
	check(message_command_name(m->protocol, m->command) != NULL);
	if (m->name_len > 0) {
		size_t n = m->flags & MESSAGE_NAME_UTF16
				   ? text_from_utf16le(m->name, m->name_len, text, sizeof text)
				   : text_from_bytes(m->name, m->name_len, text, sizeof text);
		check(n < sizeof text && text[n] == '\0');
		check(text_is_utf8((const uint8_t *)text, n));
	}
	if (m->negotiation) {
		check(m->negotiation->offered_count <= 16);
		check(m->negotiation->smb1_offered_count <= 16);
	}
}

static void on_anomaly(void *user, const char *kind)
{
	(void)user;
	check(strlen(kind) > 3);
}

static void consume(FuzzStream *s, size_t n)
{
	memmove(s->bytes, s->bytes + n, s->len - n);
	s->len -= n;
}

/* one message at the head; false when more bytes are needed. @is_cut: no more will come for it. */
static bool step(FuzzStream *s, bool from_client, bool is_cut)
{
	size_t take = s->skip < s->len ? (size_t)s->skip : s->len;
	Extent extent = {0};
	ParseStatus status;
	uint8_t *block;

	consume(s, take);
	s->skip -= take;
	if (s->skip > 0 || s->len == 0)
		return false;
	block = malloc(s->len);
	memcpy(block, s->bytes, s->len);
	if (s->is_lost) {
		long found = protocol_smb.resync(block, s->len, from_client);
		check(found < (long)s->len);
		s->is_lost = found < 0;
		consume(s, found < 0 ? s->len : (size_t)found);
		free(block);
		return found >= 0;
	}
	status = protocol_smb.frame(&state, block, s->len, from_client, &extent);
	free(block);
	if (status == PARSE_BAD || status == PARSE_UNKNOWN || (status == PARSE_SHORT && is_cut)) {
		s->is_lost = true;
		consume(s, 1);
		return s->len > 0;
	}
	if (status == PARSE_SHORT)
		return false;
	check(extent.total >= 1 && extent.total <= (1 << 24) + 4);
	check(extent.want <= extent.total && extent.want <= PROTOCOL_MAX_STAGED);
	if (s->len < extent.want && !is_cut)
		return false;
	{
		size_t staged = s->len < extent.want ? s->len : extent.want;
		MessageSink sink = {on_message, &staged, on_anomaly};
		size_t before = messages;
		block = malloc(staged ? staged : 1);
		memcpy(block, s->bytes, staged);
		protocol_smb.decode(&state, block, staged, &extent, from_client, &sink);
		free(block);
		check(messages - before <= PARSE_MAX_COMPOUND);
	}
	s->skip = extent.total;
	if (is_cut) {
		s->skip -= s->len < s->skip ? s->len : s->skip;
		s->len = 0;
	}
	return true;
}

static void feed(const uint8_t *data, size_t size, bool from_client, uint8_t control)
{
	FuzzStream *s = &streams[from_client ? 0 : 1];
	size_t n = size < STREAM_ROOM - s->len ? size : STREAM_ROOM - s->len;

	memcpy(s->bytes + s->len, data, n);
	s->len += n;
	while (step(s, from_client, false))
		;
	if (control & 2)
		step(s, from_client, true);
	if (control & 4) {
		s->len = 0;
		s->skip = 0;
		s->is_lost = true;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool from_client = true;
	uint8_t control = 0;

	for (int i = 0; i < 2; i++) {
		streams[i].len = 0;
		streams[i].skip = 0;
		streams[i].is_lost = false;
	}
	memset(&state, 0, sizeof state);
	if (size > 0) {
		control = *data++;
		size--;
		from_client = control & 1;
		state.over_netbios = control & 8;
		state.stage_encrypted = control & 16;
	}
	(void)protocol_smb.probe(data, size, from_client);
	while (size > 0) {
		const uint8_t *cut = memmem(data, size, separator, sizeof separator);
		size_t n = cut ? (size_t)(cut - data) : size;
		uint8_t *block = malloc(n ? n : 1);
		size_t used = n + (cut ? sizeof separator : 0);
		control = 0;
		if (used < size && cut)
			control = data[used++];
		memcpy(block, data, n);
		feed(block, n, from_client, control);
		free(block);
		from_client = cut ? control & 1 : from_client;
		data += used;
		size -= used;
	}
	return 0;
}
