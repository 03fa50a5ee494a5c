/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the format of one input by its first bytes and reads it.
 */
#include "analyzer/capture/input.h"

#include <string.h>

#include "analyzer/capture/import.h"
#include "analyzer/capture/pcap_file.h"
#include "analyzer/capture/pcapng_file.h"
#include "analyzer/capture/resync.h"
#include "dissectors/cursor.h"
#include "dissectors/pcapng_block.h"

/** Opened: a file's bytes, converted where needed. */
typedef struct Opened {
	Source *source;
	Import *import; /* NULL unless converted */
	bool is_pcapng;
	PcapLayout layout; /* unless is_pcapng */
} Opened;

struct Input {
	Facts facts;
	InputOptions options;
	uint16_t index;
	bool was_open;
	bool can_reopen;
	Opened opened;
	PcapFile *pcap;
	PcapngFile *pcapng;
	uint64_t file_read, file_total; /* as they were when the source was closed */

	Packet *queue; /* READER_BATCH of them, or NULL */
	size_t queue_at, queue_len;

	Opened again; /* for input_read_again */
};

Input *input_new(const char *path, const InputOptions *options)
{
	Input *input = g_new0(Input, 1);
	facts_init(&input->facts, path);
	input->options = *options;
	return input;
}

void input_set_index(Input *input, uint16_t index)
{
	input->index = index;
}

static void opened_clear(Opened *opened)
{
	if (opened->import)
		import_free(opened->import); /* with its source */
	else
		source_free(opened->source);
	memset(opened, 0, sizeof(*opened));
}

/* lets editcap convert the file that @opened->source stands at the beginning of */
static bool opened_import(
	Opened *opened, const char *path, const SourceOptions *options, GError **error)
{
	/* editcap opens these itself; pipes were read from already */
	CodecKind compression = source_compression(opened->source);
	bool is_for_editcap = strcmp(path, "-") != 0 && source_is_regular(opened->source) &&
			      (compression == CODEC_NONE || compression == CODEC_GZIP);
	SourceOptions piped = {.stop = options->stop};
	Import *import = import_start(path, is_for_editcap ? NULL : opened->source, &piped, error);
	if (!import)
		return false;
	source_free(opened->source);
	opened->import = import;
	opened->source = import_source(import);
	opened->is_pcapng = true;
	return true;
}

/* opens @path as far as its format; @ret_compression may be NULL */
static bool opened_open(Opened *opened, const char *path, const SourceOptions *options,
	const char **ret_compression, GError **error)
{
	opened->source = source_open(path, options, error);
	if (!opened->source)
		return false;
	if (ret_compression)
		*ret_compression = codec_name(source_compression(opened->source));
	size_t have;
	const uint8_t *head = source_fill(opened->source, PCAP_HEADER_LEN, &have);
	if (have == 0) {
		const char *trouble = source_trouble(opened->source);
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			trouble ? "%s cannot be read: %s"
				: "%s is empty; was the capture stopped before anything was "
				  "written?%s",
			path, trouble ? trouble : "");
		return false;
	}
	opened->is_pcapng = have >= 4 && cursor_load_be32(head) == PCAPNG_SECTION;
	if (opened->is_pcapng)
		return true;
	/* what the first read brought is enough to see several records */
	if (have >= PCAP_HEADER_LEN && pcap_layout_parse(head, &opened->layout)) {
		head = source_peek(opened->source, &have);
		if (!resync_has_other_records(&opened->layout, head, have))
			return true;
	}
	return opened_import(opened, path, options, error);
}

static bool input_open_format(Input *input, GError **error)
{
	Opened *opened = &input->opened;
	if (!opened_open(opened, input->facts.info.path, &input->options.source,
		    &input->facts.info.compression, error))
		return false;
	FileContext context = {.source = opened->source,
		.facts = &input->facts,
		.filter = input->options.filter,
		.follow = input->options.source.follow && !opened->import,
		.input = input->index};
	if (!opened->is_pcapng) {
		input->pcap = pcap_file_new(&context, error);
		return input->pcap != NULL;
	}
	input->pcapng = pcapng_file_new(&context, error);
	if (input->pcapng && opened->import)
		facts_set_format(&input->facts, import_format(opened->import));
	return input->pcapng != NULL;
}

bool input_open(Input *input, GError **error)
{
	if (input->was_open) {
		g_autofree char *path = g_strdup(input->facts.info.path);
		facts_clear(&input->facts);
		facts_init(&input->facts, path);
	}
	GError *failure = NULL;
	if (!input_open_format(input, &failure)) {
		facts_damage(&input->facts, 0, failure->message);
		g_propagate_error(error, failure);
		input_close(input);
		return false;
	}
	input->was_open = true;
	const char *path = input->facts.info.path;
	input->can_reopen = strcmp(path, "-") != 0 &&
			    (input->opened.import || source_is_regular(input->opened.source));
	return true;
}

bool input_can_reopen(const Input *input)
{
	return input->can_reopen;
}

static size_t input_read_file(Input *input, Packet *ret, size_t max)
{
	size_t count = 0;
	if (input->pcap)
		count = pcap_file_read(input->pcap, ret, max);
	else if (input->pcapng)
		count = pcapng_file_read(input->pcapng, ret, max);
	Import *import = input->opened.import;
	if (count == 0 && import && !source_is_stopped(input->opened.source) &&
		import_complaint(import))
		facts_damage(&input->facts, source_offset(input->opened.source),
			import_complaint(import));
	return count;
}

size_t input_read(Input *input, Packet *ret, size_t max)
{
	size_t queued = MIN(max, input->queue_len - input->queue_at);
	if (queued == 0)
		return input_read_file(input, ret, max);
	memcpy(ret, input->queue + input->queue_at, queued * sizeof(*ret));
	input->queue_at += queued;
	return queued;
}

const Packet *input_head(Input *input)
{
	if (input_is_drained(input)) {
		if (!input->queue)
			input->queue = g_new(Packet, READER_BATCH);
		input->queue_at = 0;
		input->queue_len = input_read_file(input, input->queue, READER_BATCH);
	}
	return input->queue_len > 0 ? &input->queue[input->queue_at] : NULL;
}

void input_pop(Input *input)
{
	input->queue_at++;
}

bool input_is_drained(const Input *input)
{
	return input->queue_at == input->queue_len;
}

uint64_t input_filtered(const Input *input)
{
	return input->facts.filtered;
}

const InputInfo *input_info(const Input *input)
{
	return &input->facts.info;
}

void input_progress(const Input *input, uint64_t *ret_read, uint64_t *ret_total)
{
	*ret_read = input->file_read;
	*ret_total = input->file_total;
	if (input->opened.source)
		source_progress(input->opened.source, ret_read, ret_total);
}

/* the packet whose record begins @p; false when it makes no sense */
static bool input_record(const Opened *opened, Source *source, uint8_t **ret_data, size_t *ret_len)
{
	size_t have, header_len = opened->layout.record_header_len;
	const uint8_t *p = source_fill(source, header_len, &have);
	if (have < header_len)
		return false;
	size_t caplen = pcap_record_parse(&opened->layout, p).caplen;
	if (caplen > PCAPNG_BLOCK_MAX)
		return false;
	p = source_fill(source, header_len + caplen, &have);
	if (have < header_len + caplen)
		return false;
	*ret_data = g_memdup2(p + header_len, caplen);
	*ret_len = caplen;
	return true;
}

/* the same for a pcapng block, whose byte order shows in its lengths */
static bool input_block(Source *source, uint8_t **ret_data, size_t *ret_len)
{
	for (int order = 0; order < 2; order++) {
		size_t have, needed = PCAPNG_BLOCK_OVERHEAD;
		const uint8_t *p = source_fill(source, needed, &have);
		PcapngBlock block;
		PcapngPacket packet;
		ParseStatus status = pcapng_block_parse(p, have, order == 1, &block, &needed);
		if (status == PARSE_SHORT && needed > have) {
			p = source_fill(source, needed, &have);
			status = pcapng_block_parse(p, have, order == 1, &block, &needed);
		}
		if (status != PARSE_OK || block.body_len < 4)
			continue;
		if (pcapng_packet_parse(&block, block.body_len - 4, &packet) != PARSE_OK)
			continue;
		*ret_data = g_memdup2(packet.data, packet.caplen);
		*ret_len = packet.caplen;
		return true;
	}
	return false;
}

bool input_read_again(Input *input, uint64_t offset, uint8_t **ret_data, size_t *ret_len)
{
	Opened *again = &input->again;
	if (!input->can_reopen)
		return false;
	if (again->source && source_offset(again->source) > offset)
		opened_clear(again);
	SourceOptions options = {.stop = input->options.source.stop};
	if (!again->source && !opened_open(again, input->facts.info.path, &options, NULL, NULL)) {
		opened_clear(again);
		return false;
	}
	if (!source_skip(again->source, offset - source_offset(again->source)))
		return false;
	if (again->is_pcapng)
		return input_block(again->source, ret_data, ret_len);
	return input_record(again, again->source, ret_data, ret_len);
}

void input_close(Input *input)
{
	pcap_file_free(input->pcap);
	input->pcap = NULL;
	pcapng_file_free(input->pcapng);
	input->pcapng = NULL;
	if (input->opened.source)
		source_progress(input->opened.source, &input->file_read, &input->file_total);
	opened_clear(&input->opened);
	g_free(input->queue);
	input->queue = NULL;
	input->queue_at = input->queue_len = 0;
}

void input_postpone(Input *input)
{
	input_close(input);
	input->file_read = 0;
	input->facts.filtered = 0;
	input->facts.info.packets = input->facts.info.bytes = 0;
}

void input_free(Input *input)
{
	if (!input)
		return;
	input_close(input);
	opened_clear(&input->again);
	facts_clear(&input->facts);
	g_free(input);
}
