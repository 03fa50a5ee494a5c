/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classic pcap through libpcap, which reads from a stdio stream: a plain one over a plain file, for
 * speed; one that a Source feeds for compressed files, pipes, growing files and behind damage,
 * where the next plausible record is looked for and libpcap starts again.
 */
#include "analyzer/capture/pcap_file.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include <pcap/pcap.h>

#include "analyzer/capture/resync.h"
#include "dissectors/cursor.h"

/* a batch of packets of the largest usual offload size, 64 KiB; larger ones get their own memory */
#define PCAP_ARENA SOURCE_BLOCK
/* libpcap cuts records at the file's snap length; files exist whose records are longer. This is its
 * own upper bound (MAXIMUM_SNAPLEN) */
#define PCAP_SNAPLEN 262144

/* what a fed stream takes from its source at once */
#define PCAP_FED_BUFFER (SOURCE_BLOCK / 8)

struct PcapFile {
	FileContext context;
	PcapLayout layout;
	uint8_t head[PCAP_HEADER_LEN];
	pcap_t *pcap;
	FILE *stream;
	char *stream_buffer; /* of a plain stream, else NULL */
	char *fed_buffer;    /* of a fed one */

	/* a stream that is fed gets a file header, then after damage what was read too far, then
	 * what the source has */
	size_t head_pos;
	GByteArray *pending;
	guint pending_pos;
	uint64_t fed_to;     /* offset in the file of the next byte the stream gets */
	GByteArray *history; /* the last bytes it got: libpcap may read on and then find an error */

	uint64_t record_at; /* offset of the next record */
	int64_t last_ns;
	uint64_t frame;
	bool ended;

	Packet *batch;
	size_t count;
	bool is_zero_fill; /* stopped at a record of zeros */
	uint8_t *arena;
	size_t arena_used;
	GPtrArray *large;
};

static uint32_t pcap_load32(const PcapLayout *layout, const uint8_t *p)
{
	return layout->is_big_endian ? cursor_load_be32(p) : cursor_load_le32(p);
}

bool pcap_layout_parse(const uint8_t *head, PcapLayout *ret)
{
	/* pcap-savefile(5); Kuznetzov's patched libpcap had longer record headers */
	static const struct {
		uint32_t magic, record_header_len;
		bool is_nanoseconds;
	} known[] = {
		{0xa1b2c3d4, 16, false},
		{0xa1b23c4d, 16, true},
		{0xa1b2cd34, 24, false},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bool is_big_endian = cursor_load_be32(head) == known[i].magic;
		if (!is_big_endian && cursor_load_le32(head) != known[i].magic)
			continue;
		*ret = (PcapLayout){.is_big_endian = is_big_endian,
			.is_nanoseconds = known[i].is_nanoseconds,
			.record_header_len = known[i].record_header_len};
		ret->snaplen = pcap_load32(ret, head + 16);
		/* the upper bits say whether frames end in a check sequence */
		ret->link_type = pcap_load32(ret, head + 20) & 0xffff;
		return true;
	}
	return false;
}

/* remembers what the stream got: always more than a record and the stream's buffer together */
static void pcap_file_remember(PcapFile *file, const char *bytes, size_t len)
{
	if (len > 0)
		g_byte_array_append(file->history, (const guint8 *)bytes, (guint)len);
	file->fed_to += len;
	if (file->history->len > 4 * SOURCE_BLOCK)
		g_byte_array_remove_range(file->history, 0, file->history->len - 2 * SOURCE_BLOCK);
}

/* fopencookie's read function */
static ssize_t pcap_file_feed(void *cookie, char *buffer, size_t len)
{
	PcapFile *file = cookie;
	size_t n;
	if (file->head_pos < PCAP_HEADER_LEN) {
		n = MIN(len, PCAP_HEADER_LEN - file->head_pos);
		memcpy(buffer, file->head + file->head_pos, n);
		file->head_pos += n;
		return (ssize_t)n;
	}
	if (file->pending_pos < file->pending->len) {
		n = MIN(len, file->pending->len - file->pending_pos);
		memcpy(buffer, file->pending->data + file->pending_pos, n);
		file->pending_pos += (guint)n;
	} else {
		n = source_read(file->context.source, buffer, len);
	}
	pcap_file_remember(file, buffer, n);
	return (ssize_t)n;
}

/* hands a stream to libpcap. Nobody else uses it, and locking it twice a packet is a tenth of the
 * time reading takes */
static pcap_t *pcap_file_begin(FILE *stream, char *ret_error)
{
	(void)__fsetlocking(stream, FSETLOCKING_BYCALLER);
	return pcap_fopen_offline_with_tstamp_precision(
		stream, PCAP_TSTAMP_PRECISION_NANO, ret_error);
}

/* lets libpcap begin on a plain stream, if the source can give one */
static bool pcap_file_start_plain(PcapFile *file)
{
	char refusal[PCAP_ERRBUF_SIZE];
	if (source_offset(file->context.source) != PCAP_HEADER_LEN)
		return false; /* standard input, opened by someone who had read from it */
	file->stream_buffer = g_malloc(SOURCE_BLOCK);
	file->stream = source_stream(file->context.source, file->stream_buffer);
	if (!file->stream) {
		g_clear_pointer(&file->stream_buffer, g_free);
		return false;
	}
	/* the header with the lifted snap length takes the place of the file's own, in our buffer,
	 * if stdio put it there; if not, libpcap cuts records at the file's snap length */
	int first = getc(file->stream);
	if (first != EOF && ungetc(first, file->stream) != EOF &&
		memcmp(file->stream_buffer, file->head, 16) == 0)
		memcpy(file->stream_buffer, file->head, PCAP_HEADER_LEN);
	file->pcap = pcap_file_begin(file->stream, refusal);
	if (!file->pcap) {
		(void)fclose(file->stream);
		file->stream = NULL;
		g_clear_pointer(&file->stream_buffer, g_free);
		(void)source_seek(file->context.source, PCAP_HEADER_LEN);
	}
	return file->pcap != NULL;
}

/* lets libpcap begin on a file header, then what is pending, then the source; these begin at
 * @offset of the file. On failure @ret_error (PCAP_ERRBUF_SIZE) has libpcap's words. */
static bool pcap_file_start(PcapFile *file, uint64_t offset, char *ret_error)
{
	file->head_pos = 0;
	file->pending_pos = 0;
	file->fed_to = offset;
	g_byte_array_set_size(file->history, 0);
	cookie_io_functions_t functions = {.read = pcap_file_feed};
	file->stream = fopencookie(file, "r", functions);
	if (!file->stream) {
		(void)g_strlcpy(ret_error, "out of memory", PCAP_ERRBUF_SIZE);
		return false;
	}
	/* following needs to know what was not yet consumed, so nothing may hide in a buffer */
	if (!file->fed_buffer)
		file->fed_buffer = g_malloc(PCAP_FED_BUFFER);
	if (file->context.follow)
		(void)setvbuf(file->stream, NULL, _IONBF, 0);
	else
		(void)setvbuf(file->stream, file->fed_buffer, _IOFBF, PCAP_FED_BUFFER);
	file->pcap = pcap_file_begin(file->stream, ret_error);
	if (!file->pcap) {
		(void)fclose(file->stream);
		file->stream = NULL;
	}
	return file->pcap != NULL;
}

/* libpcap trusts the snap length of the header: give it the largest */
static void pcap_file_lift_snaplen(PcapFile *file)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned shift = file->layout.is_big_endian ? 24 - 8 * i : 8 * i;
		file->head[16 + i] = (uint8_t)((uint32_t)PCAP_SNAPLEN >> shift);
	}
}

PcapFile *pcap_file_new(const FileContext *context, GError **error)
{
	PcapFile *file = g_new0(PcapFile, 1);
	file->context = *context;
	file->large = g_ptr_array_new_with_free_func(g_free);
	file->arena = g_malloc(PCAP_ARENA);
	file->pending = g_byte_array_new();
	file->history = g_byte_array_new();
	size_t have = source_read(context->source, file->head, 1);
	while (have > 0 && have < PCAP_HEADER_LEN) {
		size_t n = source_read(context->source, file->head + have, PCAP_HEADER_LEN - have);
		if (n == 0)
			break;
		have += n;
	}
	char refusal[PCAP_ERRBUF_SIZE] = "it ends in its header";
	bool ok = have == PCAP_HEADER_LEN && pcap_layout_parse(file->head, &file->layout);
	if (ok) {
		if (file->layout.snaplen < PCAP_SNAPLEN)
			pcap_file_lift_snaplen(file);
		ok = pcap_file_start_plain(file) || pcap_file_start(file, PCAP_HEADER_LEN, refusal);
	}
	if (!ok) {
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			"%s looks like a pcap file, but cannot be read: %s",
			context->facts->info.path, refusal);
		pcap_file_free(file);
		return NULL;
	}
	file->record_at = PCAP_HEADER_LEN;
	facts_set_format(context->facts, "pcap");
	facts_add_link_type(context->facts, file->layout.link_type);
	context->facts->info.snaplen = file->layout.snaplen;
	return file;
}

/* memory for @len bytes that lives until the next batch */
static uint8_t *pcap_file_room(PcapFile *file, size_t len)
{
	if (G_LIKELY(len <= PCAP_ARENA - file->arena_used)) {
		uint8_t *room = file->arena + file->arena_used;
		/* the next packet begins on a boundary that copies like */
		file->arena_used = MIN(PCAP_ARENA, (file->arena_used + len + 15) & ~(size_t)15);
		return room;
	}
	uint8_t *room = g_malloc(len);
	g_ptr_array_add(file->large, room);
	return room;
}

/* libpcap's callback: one record. Its bytes are libpcap's until it returns, so they are copied. */
static void pcap_file_record(u_char *user, const struct pcap_pkthdr *header, const u_char *bytes)
{
	PcapFile *file = (PcapFile *)(void *)user;
	if (G_UNLIKELY(header->len == 0 && header->caplen == 0 && header->ts.tv_sec == 0)) {
		/* zeros: space that was reserved and never written, not packets */
		file->is_zero_fill = true;
		pcap_breakloop(file->pcap);
		return;
	}
	uint64_t offset = file->record_at;
	file->record_at += file->layout.record_header_len + header->caplen;
	file->frame++;
	Filter *filter = file->context.filter;
	uint32_t wirelen = MAX(header->len, header->caplen);
	if (filter &&
		!filter_matches(filter, file->layout.link_type, bytes, header->caplen, wirelen)) {
		file->context.facts->filtered++;
		return;
	}
	uint8_t *data = pcap_file_room(file, header->caplen);
	memcpy(data, bytes, header->caplen);
	Packet *packet = &file->batch[file->count++];
	/* seconds have 32 bits without sign, whatever libpcap makes of them; precision is nano */
	packet->ts_ns = (int64_t)(uint32_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec;
	packet->frame = file->frame;
	packet->file_offset = offset;
	packet->wirelen = wirelen;
	packet->caplen = header->caplen;
	packet->interface = 0;
	packet->link_type = file->layout.link_type;
	packet_decode(file->layout.link_type, data, header->caplen, wirelen, packet);
	file->last_ns = packet->ts_ns;
}

/* in follow mode: whether a whole record can be read without waiting; waits for it when @wait */
static bool pcap_file_record_ready(PcapFile *file, bool wait)
{
	if (file->head_pos < PCAP_HEADER_LEN || file->pending_pos < file->pending->len)
		return true;
	Source *source = file->context.source;
	size_t have, want = file->layout.record_header_len;
	const uint8_t *p =
		wait ? source_fill(source, want, &have) : source_available(source, want, &have);
	if (have < want)
		return wait; /* the end: let libpcap find it */
	uint32_t caplen = pcap_load32(&file->layout, p + 8);
	if (caplen > PCAP_SNAPLEN)
		return true;
	want += caplen;
	(void)(wait ? source_fill(source, want, &have) : source_available(source, want, &have));
	return have >= want || wait;
}

/* the file's bytes behind the header of the record that failed, as far as the search may need them;
 * they are pending now */
static void pcap_file_collect(PcapFile *file)
{
	Source *source = file->context.source;
	GByteArray *rest = g_byte_array_new();
	uint64_t from = file->record_at + file->layout.record_header_len;
	if (file->stream_buffer) {
		(void)source_seek(source, from);
	} else {
		uint64_t start = file->fed_to - file->history->len;
		guint skip = from > start ? (guint)MIN(from - start, file->history->len) : 0;
		if (skip < file->history->len)
			g_byte_array_append(
				rest, file->history->data + skip, file->history->len - skip);
		if (file->pending_pos < file->pending->len)
			g_byte_array_append(rest, file->pending->data + file->pending_pos,
				file->pending->len - file->pending_pos);
	}
	uint8_t piece[4096];
	for (size_t n;
		rest->len < RESYNC_SEARCH && (n = source_read(source, piece, sizeof(piece))) > 0;)
		g_byte_array_append(rest, piece, (guint)n);
	g_byte_array_unref(file->pending);
	file->pending = rest;
	file->pending_pos = 0;
}

/* notes the damage and begins again behind it; false when nothing plausible follows */
static bool pcap_file_recover(PcapFile *file)
{
	Source *source = file->context.source;
	bool is_cut = g_str_has_prefix(pcap_geterr(file->pcap), "truncated");
	pcap_file_collect(file);
	uint64_t pending_at = source_offset(source) - file->pending->len;
	const char *sentence = "a record's header makes no sense";
	if (file->is_zero_fill)
		sentence = "zeros stand where a record should";
	else if (source_trouble(source))
		sentence = source_trouble(source);
	else if (is_cut)
		sentence = "the file ends in the middle of a packet";
	facts_damage(file->context.facts, file->record_at, sentence);

	ResyncPcap known = {.layout = &file->layout,
		.last_ns = file->last_ns,
		.at_end = file->pending->len < RESYNC_SEARCH};
	size_t found;
	if (file->context.facts->info.resynchronised >= RESYNC_LIMIT ||
		!resync_pcap(&known, file->pending->data, file->pending->len, &found))
		return false;
	pcap_close(file->pcap);
	file->pcap = NULL;
	file->stream = NULL;
	g_clear_pointer(&file->stream_buffer, g_free);
	file->is_zero_fill = false;
	char refusal[PCAP_ERRBUF_SIZE];
	g_byte_array_remove_range(file->pending, 0, (guint)found);
	file->record_at = pending_at + found;
	if (!pcap_file_start(file, file->record_at, refusal))
		return false;
	file->context.facts->info.resynchronised++;
	return true;
}

/* libpcap stopped with @rc, or at zeros: whether there is more to read */
static bool pcap_file_goes_on(PcapFile *file, int rc)
{
	if (rc > 0 && !file->is_zero_fill)
		return true;
	const char *trouble = source_trouble(file->context.source);
	if (source_is_stopped(file->context.source))
		return false; /* what is unfinished is not damaged */
	if (rc == PCAP_ERROR || file->is_zero_fill)
		return pcap_file_recover(file);
	if (trouble)
		facts_damage(file->context.facts, file->record_at, trouble);
	return false;
}

size_t pcap_file_read(PcapFile *file, Packet *ret, size_t max)
{
	bool follow = file->context.follow;
	file->batch = ret;
	file->count = 0;
	file->arena_used = 0;
	g_ptr_array_set_size(file->large, 0);
	while (file->count < max && !file->ended && !source_is_stopped(file->context.source)) {
		if (follow && !pcap_file_record_ready(file, file->count == 0))
			break;
		/* packets come through the callback; libpcap forgets their number at an end or an
		 * error */
		int rc = pcap_dispatch(file->pcap, follow ? 1 : (int)(max - file->count),
			pcap_file_record, (u_char *)(void *)file);
		file->ended = !pcap_file_goes_on(file, rc);
	}
	file->context.facts->info.packets = file->frame;
	file->context.facts->info.bytes = file->record_at;
	return file->count;
}

void pcap_file_free(PcapFile *file)
{
	if (!file)
		return;
	if (file->pcap)
		pcap_close(file->pcap); /* closes the stream */
	g_free(file->stream_buffer);
	g_free(file->fed_buffer);
	g_byte_array_unref(file->pending);
	g_byte_array_unref(file->history);
	g_free(file->arena);
	g_ptr_array_unref(file->large);
	g_free(file);
}
