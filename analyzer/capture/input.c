/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the format of one input by its first bytes and reads it.
 */
#include "analyzer/capture/input.h"

#include "analyzer/capture/pcap_file.h"
#include "analyzer/capture/pcapng_file.h"
#include "dissectors/cursor.h"
#include "dissectors/pcapng_block.h"

struct Input {
	Facts facts;
	InputOptions options;
	uint16_t index;
	Source *source;
	PcapFile *pcap;
	PcapngFile *pcapng;
	uint64_t file_read, file_total; /* as they were when the source was closed */
};

Input *input_new(const char *path, uint16_t index, const InputOptions *options)
{
	Input *input = g_new0(Input, 1);
	facts_init(&input->facts, path);
	input->index = index;
	input->options = *options;
	return input;
}

static bool input_open_format(Input *input, GError **error)
{
	FileContext context = {.source = input->source,
		.facts = &input->facts,
		.filter = input->options.filter,
		.input = input->index,
		.follow = input->options.source.follow};
	const char *path = input->facts.info.path;
	PcapLayout layout;
	size_t have;
	const uint8_t *head = source_fill(input->source, PCAP_HEADER_LEN, &have);
	if (have == 0) {
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			"%s is empty; was the capture stopped before anything was written?", path);
		return false;
	}
	if (have >= 4 && cursor_load_be32(head) == PCAPNG_SECTION) {
		input->pcapng = pcapng_file_new(&context, error);
		return input->pcapng != NULL;
	}
	if (have >= PCAP_HEADER_LEN && pcap_layout_parse(head, &layout)) {
		input->pcap = pcap_file_new(&context, error);
		return input->pcap != NULL;
	}
	g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
		"%s is not a capture file this program knows; convert it with editcap -F pcapng %s "
		"OUT",
		path, path);
	return false;
}

bool input_open(Input *input, GError **error)
{
	GError *failure = NULL;
	input->source = source_open(input->facts.info.path, &input->options.source, &failure);
	if (input->source) {
		CodecKind compression = source_compression(input->source);
		input->facts.info.compression = codec_name(compression);
		if (input_open_format(input, &failure))
			return true;
	}
	facts_damage(&input->facts, 0, failure->message);
	g_propagate_error(error, failure);
	input_close(input);
	return false;
}

size_t input_read(Input *input, Packet *ret, size_t max)
{
	if (input->pcap)
		return pcap_file_read(input->pcap, ret, max);
	if (input->pcapng)
		return pcapng_file_read(input->pcapng, ret, max);
	return 0;
}

const InputInfo *input_info(const Input *input)
{
	return &input->facts.info;
}

void input_progress(const Input *input, uint64_t *ret_read, uint64_t *ret_total)
{
	*ret_read = input->file_read;
	*ret_total = input->file_total;
	if (input->source)
		source_progress(input->source, ret_read, ret_total);
}

void input_close(Input *input)
{
	pcap_file_free(input->pcap);
	input->pcap = NULL;
	pcapng_file_free(input->pcapng);
	input->pcapng = NULL;
	if (input->source)
		source_progress(input->source, &input->file_read, &input->file_total);
	source_free(input->source);
	input->source = NULL;
}

void input_free(Input *input)
{
	if (!input)
		return;
	input_close(input);
	facts_clear(&input->facts);
	g_free(input);
}
