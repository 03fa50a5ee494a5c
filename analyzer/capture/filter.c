/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BPF through libpcap. In its language `and` and `or` bind equally and `vlan` moves the offsets of
 * all that follows, so the text is wrapped in brackets and repeated behind the tags.
 */
#include "analyzer/capture/filter.h"

#include <string.h>

#include <pcap/pcap.h>

#include "analyzer/capture/reader.h"
#include "dissectors/frame.h"

/* link types of one capture in practice: one or two; the last one is replaced beyond this */
#define FILTER_PROGRAMS 16
/* what pcap_compile is told of the snap length: its own maximum */
#define FILTER_SNAPLEN 262144

typedef struct Program {
	uint32_t link_type;
	bool is_compiled;
	struct bpf_program code;
} Program;

struct Filter {
	char *text;
	Program programs[FILTER_PROGRAMS];
	size_t count;
};

/* DLT_ values that differ from the LINKTYPE_ value, on Linux */
static int filter_dlt(uint32_t link_type)
{
	switch (link_type) {
	case LINKTYPE_RAW:
	case LINKTYPE_RAW_BSD:
	case LINKTYPE_RAW_OPENBSD:
		return DLT_RAW;
	case LINKTYPE_ATM_RFC1483:
		return DLT_ATM_RFC1483;
	default:
		return link_type > INT32_MAX ? -1 : (int)link_type;
	}
}

/* compiles @text for @link_type; libpcap's words in @ret_error (g_free) when it refuses */
static bool filter_compile(
	uint32_t link_type, const char *text, struct bpf_program *ret, char **ret_error)
{
	pcap_t *dead = pcap_open_dead(filter_dlt(link_type), FILTER_SNAPLEN);
	if (!dead) {
		*ret_error = g_strdup("out of memory");
		return false;
	}
	bool ok = pcap_compile(dead, ret, text, 1, PCAP_NETMASK_UNKNOWN) == 0;
	if (!ok)
		*ret_error = g_strdup(pcap_geterr(dead));
	pcap_close(dead);
	return ok;
}

static void filter_program(const Filter *filter, uint32_t link_type, Program *ret)
{
	const char *text = filter->text;
	g_autofree char *tagged =
		g_strdup_printf("(%s) or (vlan and ((%s) or (vlan and (%s))))", text, text, text);
	g_autofree char *refused_tagged = NULL, *refused = NULL;
	ret->link_type = link_type;
	/* whoever names tags means them; and most link types have none, which libpcap says */
	ret->is_compiled = (!strstr(text, "vlan") && filter_compile(link_type, tagged, &ret->code,
							     &refused_tagged)) ||
			   filter_compile(link_type, text, &ret->code, &refused);
}

Filter *filter_new(const char *text, GError **error)
{
	struct bpf_program code;
	g_autofree char *refused = NULL, *refused_raw = NULL;
	if (!filter_compile(LINKTYPE_ETHERNET, text, &code, &refused) &&
		!filter_compile(LINKTYPE_RAW, text, &code, &refused_raw)) {
		g_set_error(error, READER_ERROR, READER_ERROR_FILTER,
			"the filter \"%s\" is not understood: %s (see man pcap-filter)", text,
			refused);
		return NULL;
	}
	pcap_freecode(&code);
	Filter *filter = g_new0(Filter, 1);
	/* an empty filter is allowed and matches everything; brackets around nothing are not */
	filter->text = g_strdup(text[strspn(text, " \t\r\n")] ? text : "greater 0");
	return filter;
}

static Program *filter_find(Filter *filter, uint32_t link_type)
{
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->programs[i].link_type == link_type)
			return &filter->programs[i];
	}
	if (filter->count == FILTER_PROGRAMS) {
		filter->count--;
		if (filter->programs[filter->count].is_compiled)
			pcap_freecode(&filter->programs[filter->count].code);
	}
	Program *program = &filter->programs[filter->count++];
	filter_program(filter, link_type, program);
	return program;
}

bool filter_matches(
	Filter *filter, uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen)
{
	const Program *program = filter_find(filter, link_type);
	struct pcap_pkthdr header = {.caplen = caplen, .len = wirelen};
	return program->is_compiled && pcap_offline_filter(&program->code, &header, data) != 0;
}

const char *filter_library(void)
{
	return pcap_lib_version();
}

void filter_free(Filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->programs[i].is_compiled)
			pcap_freecode(&filter->programs[i].code);
	}
	g_free(filter->text);
	g_free(filter);
}
