/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBEUI sessions told as TCP segments: framing, pieces, acknowledgements, repetitions, losses of
 * the network and of the capture, and any bytes at all.
 */
#include "analyzer/flow/nbf.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/analysis.h"
#include "dissectors/netbeui.h"
#include "tests/tools/random.h"

#define SMB_LEN 35 /* header, no words, no bytes */
#define ROOM 4096

static Nbf *nbf;
static uint8_t *block; /* payload of the last frame, of exactly its length */
static Packet got;

/* A frame of the client (the lower address) or the server; its payload is @len bytes. */
static Packet frame_of(bool from_client, uint8_t control, uint8_t ns, uint8_t nr)
{
	Packet p = {
		.kind = PACKET_NBF, .has_macs = true, .tcp_flags = control, .seq = ns, .ack = nr};
	memcpy(p.src_mac, from_client ? "\x02\0\0\0\0\1" : "\x02\0\0\0\0\2", 6);
	memcpy(p.dst_mac, from_client ? "\x02\0\0\0\0\2" : "\x02\0\0\0\0\1", 6);
	p.payload = (const uint8_t *)"";
	return p;
}

static bool push_numbered(bool from_client, uint8_t ns, uint8_t nr, uint8_t command, uint16_t data2,
	const uint8_t *data, size_t len)
{
	Packet p = frame_of(from_client, (uint8_t)(ns << 1), ns, nr);
	uint8_t header[14] = {14, 0, 0xff, 0xef, command, 0, (uint8_t)data2, (uint8_t)(data2 >> 8)};
	header[12] = from_client ? 9 : 4;
	header[13] = from_client ? 4 : 9;
	free(block);
	block = malloc(sizeof(header) + len);
	memcpy(block, header, sizeof(header));
	if (len)
		memcpy(block + sizeof(header), data, len);
	p.payload = block;
	p.payload_len = p.payload_caplen = (uint32_t)(sizeof(header) + len);
	memset(&got, 0x5a, sizeof(got));
	return nbf_segment(nbf, &p, &got);
}

static bool push_control(bool from_client, uint8_t control, uint8_t nr)
{
	Packet p = frame_of(from_client, control, 0, nr);
	return nbf_segment(nbf, &p, &got);
}

/* An SMB message of @command with @count data bytes. */
static size_t smb_make(uint8_t *out, uint8_t command, bool is_reply, size_t count)
{
	memset(out, 0, SMB_LEN + count);
	memcpy(out, "\xffSMB", 4);
	out[4] = command;
	out[9] = is_reply ? 0x80 : 0;
	out[33] = (uint8_t)count;
	out[34] = (uint8_t)(count >> 8);
	for (size_t i = 0; i < count; i++)
		out[SMB_LEN + i] = (uint8_t)i;
	return SMB_LEN + count;
}

static void open_session(void)
{
	cr_assert(!push_control(true, LLC_SABME, 0));
	cr_assert(push_numbered(true, 0, 0, NBF_SESSION_INITIALIZE, 1482, NULL, 0));
	cr_assert(push_numbered(false, 0, 1, NBF_SESSION_CONFIRM, 1482, NULL, 0));
}

static void setup(void)
{
	nbf = nbf_new();
}

static void teardown(void)
{
	nbf_free(nbf);
	free(block);
	block = NULL;
}

TestSuite(nbf, .init = setup, .fini = teardown);

Test(nbf, opens_and_closes_as_tcp)
{
	uint8_t smb[ROOM];
	cr_assert(!push_control(true, LLC_SABME, 0));
	cr_assert(push_numbered(true, 0, 0, NBF_SESSION_INITIALIZE, 1482, NULL, 0));
	cr_assert(got.kind == PACKET_TCP && got.tcp_flags == TCP_SYN && got.mss == 1482);
	cr_assert(memcmp(got.src, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\0\1", 16) == 0);
	cr_assert(got.src_port != got.dst_port);
	uint32_t begin = got.seq;
	uint16_t port = got.src_port;
	cr_assert(push_numbered(false, 0, 1, NBF_SESSION_CONFIRM, 1482, NULL, 0));
	cr_assert(got.tcp_flags == (TCP_SYN | TCP_ACK) && got.dst_port == port);
	size_t len = smb_make(smb, 0x72, false, 10);
	cr_assert(push_numbered(true, 1, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	cr_assert(got.seq == begin + 1 && got.payload_len == 4 + len);
	cr_assert(got.payload_caplen == got.payload_len && got.payload[3] == len);
	cr_assert_arr_eq(got.payload + 4, smb, len);
	/* the server's word that it has it, and that it wants no more for now */
	cr_assert(push_control(false, LLC_RNR, 2));
	cr_assert(got.ack == begin + 1 + 4 + len && got.payload_len == 0 && got.window == 0);
	cr_assert(push_numbered(true, 2, 1, NBF_SESSION_END, 0, NULL, 0));
	cr_assert(got.tcp_flags & TCP_FIN);
	/* between the same session numbers, but another session */
	cr_assert(push_numbered(true, 3, 1, NBF_SESSION_INITIALIZE, 1482, NULL, 0));
	cr_assert(got.tcp_flags == TCP_SYN && got.seq != begin);
	cr_assert_eq(nbf_stats(nbf).sessions, 2);
}

Test(nbf, pieces_make_one_message)
{
	uint8_t smb[ROOM];
	open_session();
	size_t len = smb_make(smb, 0x0b, false, 2900);
	cr_assert(push_numbered(true, 1, 1, NBF_DATA_FIRST_MIDDLE, 0, smb, 1400));
	uint32_t begin = got.seq;
	cr_assert(got.payload_len == 1404 && got.payload[2] == len >> 8 &&
		  got.payload[3] == (uint8_t)len);
	cr_assert(push_numbered(true, 2, 1, NBF_DATA_FIRST_MIDDLE, 0, smb + 1400, 1400));
	cr_assert(got.seq == begin + 1404 && got.payload_len == 1400);
	cr_assert(push_numbered(true, 3, 1, NBF_DATA_ONLY_LAST, 0, smb + 2800, len - 2800));
	cr_assert(got.payload_len == len - 2800 && got.tcp_flags & TCP_PSH);
	/* the next message begins right behind it */
	size_t next = smb_make(smb, 0x04, false, 0);
	cr_assert(push_numbered(true, 4, 1, NBF_DATA_ONLY_LAST, 0, smb, next));
	cr_assert_eq(got.seq, begin + 4 + len);
}

Test(nbf, losses)
{
	uint8_t smb[ROOM];
	open_session();
	size_t len = smb_make(smb, 0x04, false, 0);
	cr_assert(push_numbered(true, 1, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	uint32_t begin = got.seq;
	/* 2 is lost on its way: 3 is dropped by the receiver, both come again */
	cr_assert(!push_numbered(true, 3, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	cr_assert(push_numbered(true, 2, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	cr_assert_eq(got.seq, begin + 4 + len);
	cr_assert(push_numbered(true, 3, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	cr_assert_eq(got.seq, begin + 2 * (4 + len));
	/* a repetition has the place of the first */
	cr_assert(push_numbered(true, 2, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	cr_assert(got.seq == begin + 4 + len && got.payload_len == 4 + len);
	cr_assert(nbf_stats(nbf).retransmissions == 1 && nbf_stats(nbf).ahead == 1);
	/* 4 and 5 are missing in the capture alone: the receiver confirms them */
	push_control(false, LLC_RR, 6);
	cr_assert(push_numbered(true, 6, 1, NBF_DATA_ONLY_LAST, 0, smb, len));
	cr_assert_eq(got.payload_len, 4 + len);
}

Test(nbf, raw_reads)
{
	uint8_t smb[ROOM] = {0}, data[ROOM] = {0};
	open_session();
	/* READ_RAW of 3000 bytes at 0 of FID 1: eight words */
	memcpy(smb, "\xffSMB\x1a", 5);
	smb[32] = 8;
	smb[33] = 1;
	smb[39] = 3000 & 0xff;
	smb[40] = 3000 >> 8;
	cr_assert(push_numbered(true, 1, 1, NBF_DATA_ONLY_LAST, 0, smb, 51));
	cr_assert(push_numbered(false, 1, 2, NBF_DATA_FIRST_MIDDLE, 0, data, 1400));
	cr_assert(got.payload_len == 1404 && got.payload[2] == 3000 >> 8);
	/* the file ends early: the message was announced longer */
	cr_assert(push_numbered(false, 2, 2, NBF_DATA_ONLY_LAST, 0, data, 600));
	cr_assert(got.payload_len == 1600 && got.payload_caplen == 600);
	/* bytes that nobody asked for are no message */
	cr_assert(push_numbered(false, 3, 2, NBF_DATA_ONLY_LAST, 0, data, 100));
	cr_assert_eq(got.payload_len, 0);
}

Test(nbf, any_frames)
{
	Random random = {7};
	for (int i = 0; i < 200000; i++) {
		uint8_t data[64];
		size_t len = random_below(&random, sizeof(data));
		for (size_t k = 0; k < len; k++)
			data[k] = (uint8_t)random_next(&random);
		if (len >= 36 && random_below(&random, 2))
			memcpy(data, "\xffSMB", 4);
		uint8_t command = (uint8_t)(0x14 + random_below(&random, 6));
		push_numbered(random_below(&random, 2), (uint8_t)random_below(&random, 128),
			(uint8_t)random_below(&random, 128), command, (uint16_t)len, data, len);
		Packet p = frame_of(true, (uint8_t)random_next(&random), 0,
			(uint8_t)random_below(&random, 128));
		if (p.tcp_flags & 1)
			nbf_segment(nbf, &p, &got);
		/* many hosts */
		p = frame_of(true, LLC_RR, 0, 1);
		p.src_mac[3] = (uint8_t)random_next(&random);
		p.src_mac[4] = (uint8_t)random_next(&random);
		nbf_segment(nbf, &p, &got);
	}
	cr_assert_gt(nbf_stats(nbf).links_dropped, 0);
}

/* ---- through the whole analysis */

typedef struct Story {
	Analysis *analysis;
	int64_t now_ns;
	uint64_t frame;
	uint8_t ns[2]; /* next N(S) of client and server */
	uint16_t mid;
} Story;

static void story_frame(Story *story, int64_t after_us, bool from_client, uint8_t command,
	const uint8_t *data, size_t len)
{
	uint8_t *ns = &story->ns[from_client ? 0 : 1], *nr = &story->ns[from_client ? 1 : 0];
	uint8_t bytes[14 + ROOM] = {14, 0, 0xff, 0xef, command};
	bytes[12] = from_client ? 9 : 4;
	bytes[13] = from_client ? 4 : 9;
	if (len)
		memcpy(bytes + 14, data, len);
	Packet p = frame_of(from_client, (uint8_t)(*ns << 1), *ns, *nr);
	p.payload = bytes;
	p.payload_len = p.payload_caplen = (uint32_t)(14 + len);
	p.wirelen = p.caplen = (uint32_t)(18 + 14 + len);
	p.ts_ns = story->now_ns += after_us * 1000;
	p.frame = ++story->frame;
	*ns = (uint8_t)((*ns + 1) % LLC_SEQUENCE_COUNT);
	analysis_feed(story->analysis, &p, 1);
}

/* WRITE of 1024 bytes at @offset and its answer (MS-CIFS 2.2.4.12), the request in two frames */
static void story_write(Story *story, uint32_t offset, int64_t service_us)
{
	enum { COUNT = 1024, HEAD = 32 + 1 + 10 + 2 + 3 };
	uint8_t smb[ROOM] = {0};
	memcpy(smb, "\xffSMB\x0b", 5);
	smb[30] = (uint8_t)++story->mid;
	smb[31] = (uint8_t)(story->mid >> 8);
	smb[32] = 5;
	smb[33] = 7; /* FID */
	smb[35] = COUNT & 0xff;
	smb[36] = COUNT >> 8;
	memcpy(smb + 37, &offset, 4);
	smb[43] = (COUNT + 3) & 0xff;
	smb[44] = (COUNT + 3) >> 8;
	smb[45] = 1;
	smb[46] = COUNT & 0xff;
	smb[47] = COUNT >> 8;
	story_frame(story, 100, true, NBF_DATA_FIRST_MIDDLE, smb, 600);
	story_frame(story, 100, true, NBF_DATA_ONLY_LAST, smb + 600, HEAD + COUNT - 600);
	uint8_t reply[37] = {0xff, 'S', 'M', 'B',
		0x0b, [9] = 0x80, [32] = 1, [33] = COUNT & 0xff, [34] = COUNT >> 8};
	memcpy(reply + 30, smb + 30, 2);
	story_frame(story, service_us, false, NBF_DATA_ONLY_LAST, reply, sizeof(reply));
}

Test(nbf, a_session_is_counted_timed_and_a_transfer)
{
	AnalysisOptions options = {0};
	Story story = {.analysis = analysis_new(&options), .now_ns = INT64_C(1000000000000)};
	story_frame(&story, 0, true, NBF_SESSION_INITIALIZE, NULL, 0);
	story_frame(&story, 300, false, NBF_SESSION_CONFIRM, NULL, 0);
	for (uint32_t i = 0; i < 200; i++)
		story_write(&story, i * 1024, 20000);
	Packet close = frame_of(true, LLC_DISC, 0, 0);
	close.ts_ns = story.now_ns += 1000000;
	close.frame = ++story.frame;
	analysis_feed(story.analysis, &close, 1);
	Result *result = analysis_finish(story.analysis, NULL);
	cr_assert_eq(result->connection_count, 0, "it is no TCP");
	cr_assert_eq(result->session_count, 1);
	const SessionStats *s = &result->sessions[0].stats;
	cr_assert(s->transport == TRANSPORT_NBF && strcmp(s->protocol, "smb1") == 0);
	cr_assert(s->command_count == 1 && s->commands[0].requests == 200 &&
		  s->commands[0].responses == 200);
	int64_t median = s->commands[0].response_time.median_ns;
	cr_assert(median > 19 * 1000000 && median < 21 * 1000000, "%lld", (long long)median);
	cr_assert_eq(result->transfer_count, 1);
	const ResultTransfer *t = &result->transfers[0];
	cr_assert_eq(t->bytes, 200 * 1024);
	int64_t sum = 0;
	for (size_t i = 0; i < BUCKET_COUNT; i++)
		sum += t->budget[i].ns;
	cr_assert_eq(sum, t->duration_ns);
	cr_assert_gt(t->budget[BUCKET_SERVER_PROCESSING].ns, t->duration_ns * 9 / 10);
	cr_assert_eq(result->capture.packets, story.frame);
	result_free(result);
	analysis_free(story.analysis);
}
