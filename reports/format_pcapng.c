/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets that prove the findings, for Wireshark: a pcapng (draft-ietf-opsawg-pcapng) whose
 * packet comments name finding and reason, whose section comment names tool, options and the digest
 * of the inputs, and whose payload is zero beyond protocol headers.
 */
#include "reports/report.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "reports/escape.h"
#include "reports/evidence_frame.h"
#include "reports/pseudonym.h"
#include "reports/units.h"

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_NAMES 4u
#define BLOCK_PACKET 6u
#define OPTION_END 0
#define OPTION_COMMENT 1
#define OPTION_USERAPPL 4
#define OPTION_TSRESOL 9
#define LINKTYPE_ETHERNET_NUMBER 1
/* The format allows 65535; a comment is for people. */
#define COMMENT_MAX 2000
/* Packets of evidence; findings have at most 16 each, and there are few. */
#define PACKETS_MAX 4096
/* Handshakes shown beside the evidence, so that Wireshark knows window scales. */
#define HANDSHAKE_PACKETS_MAX 200

/** Point: one frame that is evidence, and of what. */
typedef struct Point {
	uint16_t input;
	uint64_t frame;
	char *comment;
} Point;

/** Evidence: what is searched for in the inputs, and where it is written. */
typedef struct Evidence {
	const Result *result;
	const ReportOptions *options;
	FILE *out;
	GHashTable *points; /* key of input and frame -> Point, owned */
	size_t left;        /* points not met yet */
	size_t handshakes;
	GHashTable *macs; /* original -> number + 1 */
	GByteArray *frame;
} Evidence;

static void point_free(void *data)
{
	Point *point = data;

	g_free(point->comment);
	g_free(point);
}

static guint point_hash(gconstpointer key)
{
	const Point *point = key;

	return (guint)(point->frame * 31 + point->input);
}

static gboolean point_equal(gconstpointer a, gconstpointer b)
{
	const Point *left = a, *right = b;

	return left->frame == right->frame && left->input == right->input;
}

/** add_point: one evidence of one finding; a frame that serves several has all their words. */
static void add_point(Evidence *e, const ResultFinding *finding, const ResultEvidence *evidence)
{
	Point key = {.input = evidence->input, .frame = evidence->frame};
	Point *point = g_hash_table_lookup(e->points, &key);
	g_autofree char *text = g_strdup_printf("%s %s: %s%s%s", finding->id, finding->cause,
		finding->title ? finding->title : "", evidence->note ? ": " : "",
		evidence->note ? evidence->note : "");
	char *joined;

	if (!point) {
		if (g_hash_table_size(e->points) == PACKETS_MAX)
			return;
		point = g_memdup2(&key, sizeof key);
		g_hash_table_add(e->points, point);
	}
	joined = point->comment ? g_strconcat(point->comment, " | ", text, NULL) : g_strdup(text);
	g_free(point->comment);
	point->comment = joined;
}

/* ---- blocks */

static void put_u16(GByteArray *block, uint16_t value)
{
	const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)};

	g_byte_array_append(block, bytes, sizeof bytes);
}

static void put_u32(GByteArray *block, uint32_t value)
{
	put_u16(block, (uint16_t)value);
	put_u16(block, (uint16_t)(value >> 16));
}

static void put_padded(GByteArray *block, const void *data, size_t len)
{
	static const uint8_t zero[4] = {0};

	g_byte_array_append(block, data, (guint)len);
	g_byte_array_append(block, zero, (guint)((4 - len % 4) % 4));
}

static void put_option(GByteArray *block, uint16_t code, const void *data, size_t len)
{
	put_u16(block, code);
	put_u16(block, (uint16_t)len);
	put_padded(block, data, len);
}

static void put_comment(GByteArray *block, const char *text)
{
	g_autofree char *clean = escape_comment(text, COMMENT_MAX);

	put_option(block, OPTION_COMMENT, clean, strlen(clean));
}

static void write_block(Evidence *e, uint32_t type, const GByteArray *body)
{
	g_autoptr(GByteArray) block = g_byte_array_new();
	uint32_t len = (uint32_t)body->len + 12;

	put_u32(block, type);
	put_u32(block, len);
	g_byte_array_append(block, body->data, body->len);
	put_u32(block, len);
	fwrite(block->data, 1, block->len, e->out);
}

/** digest: SHA-256 of a file as 64 digits, NULL when it cannot be read. */
static char *digest(const char *path)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree uint8_t *buffer = g_malloc(1 << 20);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, buffer, 1 << 20)) > 0)
		g_checksum_update(checksum, buffer, n);
	if (fd >= 0)
		close(fd);
	return n == 0 ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}

static void write_section(Evidence *e)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	g_autoptr(GString) text = g_string_new(NULL);
	const ReportOptions *o = e->options;
	g_autofree char *tool = g_strdup_printf("slowcopy %s", o->version ? o->version : "");

	g_string_append_printf(text,
		"%s: packets that prove the findings of its report. Packets are made anew from "
		"decoded headers; payload beyond protocol headers is zero. %s.",
		tool,
		o->redact ? "Names and addresses are pseudonyms"
			  : "Not redacted: addresses are real");
	if (o->command_line)
		g_string_append_printf(text, " Made by: %s.", o->command_line);
	for (size_t i = 0; i < e->result->input_count && text->len < COMMENT_MAX; i++) {
		const InputInfo *info =
			i < reader_input_count(o->reader) ? reader_input(o->reader, i) : NULL;
		g_autofree char *sum = info ? digest(info->path) : NULL;

		g_string_append_printf(text, " Input %s, SHA-256 %s.", e->result->inputs[i].path,
			sum ? sum : "unknown");
	}
	put_u32(body, 0x1a2b3c4d);
	put_u16(body, 1);
	put_u16(body, 0);
	put_u32(body, 0xffffffff);
	put_u32(body, 0xffffffff); /* section length unknown */
	put_comment(body, text->str);
	put_option(body, OPTION_USERAPPL, tool, strlen(tool));
	put_u32(body, OPTION_END);
	write_block(e, BLOCK_SECTION, body);
}

static void write_interface(Evidence *e)
{
	static const uint8_t nanoseconds = 9;
	g_autoptr(GByteArray) body = g_byte_array_new();

	put_u16(body, LINKTYPE_ETHERNET_NUMBER);
	put_u16(body, 0);
	put_u32(body, 0); /* no limit */
	put_option(body, OPTION_TSRESOL, &nanoseconds, 1);
	put_u32(body, OPTION_END);
	write_block(e, BLOCK_INTERFACE, body);
}

static void put_name(void *user, const uint8_t address[16], const char *name)
{
	GByteArray *body = user;
	bool v4 = memcmp(address, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12) == 0;
	g_autoptr(GByteArray) record = g_byte_array_new();

	g_byte_array_append(record, v4 ? address + 12 : address, v4 ? 4 : 16);
	g_byte_array_append(record, (const uint8_t *)name, (guint)strlen(name) + 1);
	put_option(body, v4 ? 1 : 2, record->data, record->len);
}

/** write_names: which pseudonym each address is, so that Wireshark shows the names of the report.
 */
static void write_names(Evidence *e)
{
	g_autoptr(GByteArray) body = g_byte_array_new();

	if (!e->options->pseudonyms)
		return;
	pseudonyms_each_host(e->options->pseudonyms, put_name, body);
	if (body->len == 0)
		return;
	put_u32(body, OPTION_END);
	write_block(e, BLOCK_NAMES, body);
}

/* ---- packets */

/** mac_pseudonym: 02:00:00:00:00:01 and on, locally administered (IEEE 802); broadcast stays. */
static void mac_pseudonym(Evidence *e, const uint8_t mac[6], uint8_t ret[6])
{
	static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint64_t key = 0;
	guint number;

	memcpy(ret, mac, 6);
	if (memcmp(mac, broadcast, 6) == 0)
		return;
	memcpy(&key, mac, 6);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(e->macs, &key));
	if (number == 0) {
		number = g_hash_table_size(e->macs) + 1;
		g_hash_table_insert(e->macs, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(number));
	}
	ret[0] = 2;
	ret[1] = ret[2] = 0;
	ret[3] = (uint8_t)(number >> 16);
	ret[4] = (uint8_t)(number >> 8);
	ret[5] = (uint8_t)number;
}

static void addresses_of(Evidence *e, const Packet *packet, EvidenceAddresses *ret)
{
	static const uint8_t none[6] = {0};

	if (e->options->pseudonyms) {
		pseudonyms_address(e->options->pseudonyms, packet->src, ret->src);
		pseudonyms_address(e->options->pseudonyms, packet->dst, ret->dst);
		mac_pseudonym(e, packet->has_macs ? packet->src_mac : none, ret->src_mac);
		mac_pseudonym(e, packet->has_macs ? packet->dst_mac : none, ret->dst_mac);
		return;
	}
	memcpy(ret->src, packet->src, 16);
	memcpy(ret->dst, packet->dst, 16);
	memcpy(ret->src_mac, packet->has_macs ? packet->src_mac : none, 6);
	memcpy(ret->dst_mac, packet->has_macs ? packet->dst_mac : none, 6);
}

/** check_packet: that nothing of the originals is in the finished packet and its comment. */
static bool check_packet(
	const Evidence *e, const Packet *packet, const char *comment, GError **error)
{
	size_t len = packet->ip_version == 6 ? 16 : 4;
	const uint8_t *addresses[] = {packet->src + 16 - len, packet->dst + 16 - len};
	const char *found =
		pseudonyms_find_original(e->options->pseudonyms, comment, strlen(comment));

	/* the IP header, where an address could stand */
	for (size_t i = 0; i < G_N_ELEMENTS(addresses) && !found; i++) {
		if (memmem(e->frame->data, MIN(e->frame->len, 14 + 40), addresses[i], len))
			found = "an address";
	}
	if (found)
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_REFUSED,
			"the evidence file would hold the name behind %s, so it is not written; "
			"this is an error in slowcopy, please report it",
			found);
	return !found;
}

static bool write_packet(Evidence *e, const Packet *packet, const char *comment, GError **error)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	g_autofree char *text = NULL;
	EvidenceAddresses addresses;
	uint64_t time = (uint64_t)packet->ts_ns;
	uint32_t wirelen;

	addresses_of(e, packet, &addresses);
	if (!evidence_frame_build(packet, &addresses, e->frame, &wirelen))
		return true;
	text = g_strdup_printf("%s (frame %llu of %s)", comment, (unsigned long long)packet->frame,
		packet->input < e->result->input_count ? e->result->inputs[packet->input].path
						       : "its input");
	if (e->options->pseudonyms && !check_packet(e, packet, text, error))
		return false;
	put_u32(body, 0); /* interface */
	put_u32(body, (uint32_t)(time >> 32));
	put_u32(body, (uint32_t)time);
	put_u32(body, e->frame->len);
	put_u32(body, wirelen);
	put_padded(body, e->frame->data, e->frame->len);
	put_comment(body, text);
	put_u32(body, OPTION_END);
	write_block(e, BLOCK_PACKET, body);
	return true;
}

/** is_handshake: whether @packet opens a connection that a finding is about. */
static bool is_handshake(const Evidence *e, const Packet *packet)
{
	const Result *result = e->result;

	if (packet->kind != PACKET_TCP || !(packet->tcp_flags & TCP_SYN))
		return false;
	for (size_t i = 0; i < result->finding_count; i++) {
		const ResultTransfer *t = result_transfer(result, result->findings[i].transfer);
		bool up, down;

		if (!t || t->input != packet->input)
			continue;
		up = packet->dst_port == t->server.port && packet->src_port == t->client.port;
		down = packet->src_port == t->server.port && packet->dst_port == t->client.port;
		if (up || down)
			return true;
	}
	return false;
}

/** show: writes @packet when it is evidence or a handshake. */
static bool show(Evidence *e, const Packet *packet, GError **error)
{
	Point key = {.input = packet->input, .frame = packet->frame};
	const Point *point = g_hash_table_lookup(e->points, &key);

	if (point) {
		e->left--;
		return write_packet(e, packet, point->comment, error);
	}
	if (e->handshakes < HANDSHAKE_PACKETS_MAX && is_handshake(e, packet)) {
		e->handshakes++;
		return write_packet(e, packet, "handshake of a connection of the findings", error);
	}
	return true;
}

/** show_all: reads the inputs a second time, as far as there is evidence left to find. */
static bool show_all(Evidence *e, GError **error)
{
	const Reader *first = e->options->reader;
	size_t count = reader_input_count(first), batch_len = 1;
	g_autofree const char **paths = g_new0(const char *, count);
	g_autoptr(Reader) reader = NULL;
	Packet batch[READER_BATCH];

	for (size_t i = 0; i < count; i++)
		paths[i] = reader_input(first, i)->path;
	reader = reader_open(paths, count, &(ReaderOptions){0}, error);
	if (!reader)
		return false;
	while (e->left > 0 && batch_len > 0) {
		batch_len = reader_next_batch(reader, batch);
		for (size_t i = 0; i < batch_len; i++) {
			if (!show(e, &batch[i], error))
				return false;
		}
	}
	return true;
}

static bool pcapng_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	Evidence e = {.result = result, .options = options, .out = out};
	bool ok;

	if (!report_can_read_again(options)) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_FORMAT,
			"an evidence file needs captures that can be read a second time; standard "
			"input cannot");
		return false;
	}
	e.points = g_hash_table_new_full(point_hash, point_equal, point_free, NULL);
	e.macs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	e.frame = g_byte_array_new();
	for (size_t i = 0; i < result->finding_count; i++) {
		for (size_t k = 0; k < result->findings[i].evidence_count; k++)
			add_point(&e, &result->findings[i], &result->findings[i].evidence[k]);
	}
	e.left = g_hash_table_size(e.points);
	write_section(&e);
	write_interface(&e);
	write_names(&e);
	ok = e.left == 0 || show_all(&e, error);
	g_hash_table_unref(e.points);
	g_hash_table_unref(e.macs);
	g_byte_array_unref(e.frame);
	return ok;
}

const ReportFormat format_pcapng = {
	.name = "pcapng",
	.suffix = ".evidence.pcapng",
	.summary = "the packets that prove the findings, for Wireshark",
	.needs = REPORT_NEEDS_INPUT_AGAIN | REPORT_IS_BINARY | REPORT_IS_SHARED,
	.write = pcapng_write,
};
