/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the capture that `make bench` measures on: SMB 3.0.2 connections of one span port, each a
 * client that reads and writes files in blocks of 64 KiB to 1 MiB, at 1 Gb/s, with round trips of a
 * LAN to a WAN, seen at the server, cut to headers. The same numbers every time.
 *
 * Usage: capgen_bench FILE PACKETS CONNECTIONS [BATCHES [SECONDS]]
 *
 * BATCHES: of requests a file, 4 when it is not given; a huge number makes files that never end.
 * With it frames are cut as `monitor` does.
 * SECONDS: in which the connections begin, 10 when it is not given.
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "tests/tools/capgen.h"
#include "tests/tools/random.h"
#include "tests/tools/smb_builder.h"

/* Headers of Ethernet, IPv4 and TCP with timestamps are 66 bytes: SMB2 headers fit behind them. */
#define SNAPLEN 160
/* What `monitor` takes of each packet: the answers that name open files are whole. */
#define MONITOR_SNAPLEN 256
/* A full frame at 1 Gb/s: 1514 bytes, checksum, preamble and gap. */
#define FRAME_NS INT64_C(12304)
#define START_SPREAD_NS (10 * CAPGEN_S)
#define BATCHES_PER_FILE 4

static unsigned batches_per_file = BATCHES_PER_FILE;
static int64_t start_spread_ns = START_SPREAD_NS;
#define MAX_DEPTH 8
#define HEADER_ROOM 160

enum { FIN = 0x01, SYN = 0x02, PSH = 0x08, ACK = 0x10 };
enum {
	NEGOTIATE = 0,
	SESSION_SETUP = 1,
	TREE_CONNECT = 3,
	CREATE = 5,
	CLOSE = 6,
	READ = 8,
	WRITE = 9
};

/* A segment still to come. */
typedef struct Pending {
	int64_t t_ns;
	uint32_t seq, ack, len;
	uint16_t header; /* index into headers + 1, 0: no bytes of its own */
	uint8_t side, flags;
} Pending;

typedef struct Header {
	uint8_t bytes[HEADER_ROOM];
	uint32_t len;
} Header;

typedef enum Stage {
	STAGE_OPEN,
	STAGE_NEGOTIATE,
	STAGE_LOGIN,
	STAGE_CONNECT,
	STAGE_CREATE,
	STAGE_DATA,
	STAGE_CLOSE,
	STAGE_FIN,
	STAGE_DONE
} Stage;

typedef struct Connection {
	CapgenTcp tcp;
	Random random;
	int64_t now_ns, rtt_ns;
	uint64_t packets, quota;
	Stage stage;
	unsigned batches, depth;
	bool writes;
	uint32_t block;
	uint64_t message_id, file, offset, session;
	Header headers[4 * MAX_DEPTH];
	unsigned header_count;
	GArray *pending; /* Pending, by time */
	guint next;
} Connection;

static SmbBuilder builder;

static void push(
	Connection *c, int64_t t_ns, CapgenSide side, uint8_t flags, uint32_t len, unsigned header)
{
	CapgenEnd *from = &c->tcp.end[side];
	Pending p = {t_ns, from->seq, from->acked, len, (uint16_t)header, side, flags};
	g_array_append_val(c->pending, p);
	from->seq += len + ((flags & (SYN | FIN)) != 0);
}

/*
 * A message of @len bytes whose first ones are in the builder: segments at line rate, acknowledged
 * every second one as delayed acknowledgements do, after a round trip when the server sends and at
 * once when the client does. Returns the time of the last segment.
 */
static int64_t send_message(Connection *c, int64_t t_ns, CapgenSide side, uint32_t len)
{
	Header *header = &c->headers[c->header_count++];
	header->len = (uint32_t)(builder.len < HEADER_ROOM ? builder.len : HEADER_ROOM);
	memcpy(header->bytes, builder.bytes, header->len);
	uint32_t mss = capgen_tcp_mss(&c->tcp, side), sent = 0;
	int64_t ack_ns = side == CAPGEN_SERVER ? c->rtt_ns : 15 * CAPGEN_US;
	CapgenEnd *peer = &c->tcp.end[!side];
	for (unsigned n = 0; sent < len; n++) {
		uint32_t size = len - sent < mss ? len - sent : mss;
		bool last = sent + size == len;
		push(c, t_ns, side, (uint8_t)(ACK | (last ? PSH : 0)), size,
			n == 0 ? c->header_count : 0);
		sent += size;
		peer->acked = c->tcp.end[side].seq;
		if (n % 2 == 1)
			push(c, t_ns + ack_ns, !side, ACK, 0, 0);
		if (!last)
			t_ns += size == mss ? FRAME_NS : CAPGEN_US;
	}
	return t_ns;
}

/* Header of a message; its body follows in the builder. */
static void begin(Connection *c, uint16_t command, bool reply, uint64_t message_id, uint16_t charge)
{
	builder.len = 0;
	builder.previous = SIZE_MAX;
	build_pdu(&builder);
	build_smb2(&builder, &(Smb2Fields){.command = command,
				     .credit_charge = charge,
				     .credits = reply ? 33 : 1,
				     .flags = reply ? 1 : 0,
				     .tree_id = command >= CREATE ? 5 : 0,
				     .message_id = message_id,
				     .session_id = command == NEGOTIATE ? 0 : c->session});
}

/* Closes the message with @data bytes of file data behind it; returns its length with framing. */
static uint32_t end(uint32_t data)
{
	build_end(&builder);
	uint32_t len = (uint32_t)builder.len - 4 + data;
	builder.bytes[1] = (uint8_t)(len >> 16);
	builder.bytes[2] = (uint8_t)(len >> 8);
	builder.bytes[3] = (uint8_t)len;
	return len + 4;
}

static void build_file_id(const Connection *c)
{
	build_le64(&builder, c->file);
	build_le64(&builder, c->session);
}

static uint32_t negotiate(Connection *c, bool reply)
{
	begin(c, NEGOTIATE, reply, c->message_id, 0);
	build_le16(&builder, reply ? 65 : 36);
	build_le16(&builder, reply ? 1 : 2);
	build_le16(&builder, reply ? 0x0302 : 1);
	build_le16(&builder, 0);
	if (!reply) {
		build_le32(&builder, 0x7f);
		build_zeros(&builder, 24);
		build_le16(&builder, 0x0210);
		build_le16(&builder, 0x0302);
		return end(0);
	}
	build_zeros(&builder, 16);
	build_le32(&builder, 0x04); /* large MTU */
	for (unsigned i = 0; i < 3; i++)
		build_le32(&builder, 8 << 20);
	build_zeros(&builder, 16);
	build_le16(&builder, 128);
	build_le16(&builder, 0);
	build_le32(&builder, 0);
	return end(0);
}

static uint32_t login(Connection *c, bool reply)
{
	begin(c, SESSION_SETUP, reply, c->message_id, 1);
	build_le16(&builder, reply ? 9 : 25);
	if (reply) {
		build_le16(&builder, 0);
		build_le16(&builder, 72);
		build_le16(&builder, 32);
	} else {
		build_zeros(&builder, 10);
		build_le16(&builder, 88);
		build_le16(&builder, 32);
		build_zeros(&builder, 8);
	}
	build_zeros(&builder, 32);
	return end(0);
}

static uint32_t connect_tree(Connection *c, bool reply)
{
	begin(c, TREE_CONNECT, reply, c->message_id, 1);
	build_le16(&builder, reply ? 16 : 9);
	if (reply) {
		build_le16(&builder, 1);
		build_zeros(&builder, 8);
		build_le32(&builder, 0x001f01ff);
		return end(0);
	}
	build_le16(&builder, 0);
	build_le16(&builder, 72);
	build_le16(&builder, 2 * 11);
	build_utf16(&builder, "\\\\srv\\bench");
	return end(0);
}

static uint32_t create(Connection *c, bool reply)
{
	begin(c, CREATE, reply, c->message_id, 1);
	if (reply) {
		build_le16(&builder, 89);
		build_le16(&builder, 0);
		build_le32(&builder, 1);
		build_zeros(&builder, 40);
		build_le64(&builder, 1 << 30);
		build_le32(&builder, 0x80);
		build_le32(&builder, 0);
		build_file_id(c);
		build_zeros(&builder, 8);
		return end(0);
	}
	build_le16(&builder, 57);
	build_zeros(&builder, 22);
	build_le32(&builder, 0x0012019f);
	build_le32(&builder, 0x80);
	build_le32(&builder, 7);
	build_le32(&builder, 1);
	build_le32(&builder, 0x40);
	build_le16(&builder, 120);
	build_le16(&builder, 2 * 8);
	build_zeros(&builder, 8);
	build_utf16(&builder, "file.bin");
	return end(0);
}

static uint32_t close_file(Connection *c, bool reply)
{
	begin(c, CLOSE, reply, c->message_id, 1);
	build_le16(&builder, reply ? 60 : 24);
	build_le16(&builder, 0);
	build_le32(&builder, 0);
	if (reply)
		build_zeros(&builder, 52);
	else
		build_file_id(c);
	return end(0);
}

static uint16_t charge_of(uint32_t bytes)
{
	return (uint16_t)((bytes + 65535) / 65536);
}

static uint32_t read_block(Connection *c, bool reply, uint64_t id, uint64_t offset)
{
	begin(c, READ, reply, id, charge_of(c->block));
	if (reply) {
		build_le16(&builder, 17);
		build_le16(&builder, 80);
		build_le32(&builder, c->block);
		build_zeros(&builder, 8);
		return end(c->block);
	}
	build_le16(&builder, 49);
	build_le16(&builder, 0x50);
	build_le32(&builder, c->block);
	build_le64(&builder, offset);
	build_file_id(c);
	build_zeros(&builder, 17);
	return end(0);
}

static uint32_t write_block(Connection *c, bool reply, uint64_t id, uint64_t offset)
{
	begin(c, WRITE, reply, id, charge_of(c->block));
	build_le16(&builder, reply ? 17 : 49);
	build_le16(&builder, reply ? 0 : 112);
	build_le32(&builder, c->block);
	if (reply) {
		build_zeros(&builder, 8);
		return end(0);
	}
	build_le64(&builder, offset);
	build_file_id(c);
	build_zeros(&builder, 16);
	return end(c->block);
}

/* One request and its reply; the client goes on a round trip after the reply left. */
static void exchange(Connection *c, uint32_t (*build)(Connection *c, bool reply))
{
	int64_t t = send_message(c, c->now_ns, CAPGEN_CLIENT, build(c, false));
	t = send_message(c, t + 200 * CAPGEN_US, CAPGEN_SERVER, build(c, true));
	c->message_id++;
	c->now_ns = t + c->rtt_ns + 20 * CAPGEN_US;
}

/* `depth` reads or writes under way at one time. */
static void exchange_data(Connection *c)
{
	uint64_t first_id = c->message_id;
	int64_t t = c->now_ns, reply_ns = t;
	for (unsigned i = 0; i < c->depth; i++) {
		uint32_t len = c->writes ? write_block(c, false, c->message_id, c->offset)
					 : read_block(c, false, c->message_id, c->offset);
		t = send_message(c, t, CAPGEN_CLIENT, len) + FRAME_NS;
		c->message_id += charge_of(c->block);
		c->offset += c->block;
	}
	reply_ns = t + (int64_t)random_between(&c->random, 100, 2000) * CAPGEN_US;
	for (unsigned i = 0; i < c->depth; i++) {
		uint64_t id = first_id + i * charge_of(c->block);
		uint32_t len = c->writes ? write_block(c, true, id, 0) : read_block(c, true, id, 0);
		reply_ns = send_message(c, reply_ns, CAPGEN_SERVER, len) + FRAME_NS;
	}
	c->now_ns = reply_ns + c->rtt_ns + random_between(&c->random, 20, 5000) * CAPGEN_US;
}

static void begin_file(Connection *c)
{
	c->writes = random_below(&c->random, 2);
	c->block = UINT32_C(65536) << random_below(&c->random, 5);
	/* at most 1 MiB under way */
	unsigned most = (1 << 20) / c->block;
	c->depth = (unsigned)random_between(&c->random, 1, most < MAX_DEPTH ? most : MAX_DEPTH);
	c->batches = 0;
	c->offset = 0;
	c->file++;
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const Pending *x = a, *y = b;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	/* of one side in the order of the stream */
	return x->seq - y->seq > INT32_MAX ? -1 : x->seq != y->seq;
}

/* Makes the next segments of a connection. */
static void advance(Connection *c)
{
	g_array_set_size(c->pending, 0);
	c->next = 0;
	c->header_count = 0;
	switch (c->stage) {
	case STAGE_OPEN:
		push(c, c->now_ns, CAPGEN_CLIENT, SYN, 0, 0);
		c->tcp.end[CAPGEN_SERVER].acked = c->tcp.end[CAPGEN_CLIENT].seq;
		push(c, c->now_ns + 30 * CAPGEN_US, CAPGEN_SERVER, SYN | ACK, 0, 0);
		c->tcp.end[CAPGEN_CLIENT].acked = c->tcp.end[CAPGEN_SERVER].seq;
		c->now_ns += c->rtt_ns + 30 * CAPGEN_US;
		push(c, c->now_ns, CAPGEN_CLIENT, ACK, 0, 0);
		c->now_ns += 20 * CAPGEN_US;
		c->stage = STAGE_NEGOTIATE;
		break;
	case STAGE_NEGOTIATE:
		exchange(c, negotiate);
		c->stage = STAGE_LOGIN;
		break;
	case STAGE_LOGIN:
		exchange(c, login);
		c->stage = STAGE_CONNECT;
		break;
	case STAGE_CONNECT:
		exchange(c, connect_tree);
		c->stage = STAGE_CREATE;
		break;
	case STAGE_CREATE:
		begin_file(c);
		exchange(c, create);
		c->stage = STAGE_DATA;
		break;
	case STAGE_DATA:
		exchange_data(c);
		if (++c->batches == batches_per_file || c->packets >= c->quota)
			c->stage = STAGE_CLOSE;
		break;
	case STAGE_CLOSE:
		exchange(c, close_file);
		c->stage = c->packets < c->quota ? STAGE_CREATE : STAGE_FIN;
		break;
	case STAGE_FIN:
		push(c, c->now_ns, CAPGEN_CLIENT, FIN | ACK, 0, 0);
		c->tcp.end[CAPGEN_SERVER].acked = c->tcp.end[CAPGEN_CLIENT].seq;
		push(c, c->now_ns + 30 * CAPGEN_US, CAPGEN_SERVER, FIN | ACK, 0, 0);
		c->tcp.end[CAPGEN_CLIENT].acked = c->tcp.end[CAPGEN_SERVER].seq;
		push(c, c->now_ns + c->rtt_ns, CAPGEN_CLIENT, ACK, 0, 0);
		c->stage = STAGE_DONE;
		break;
	case STAGE_DONE:
		break;
	}
	g_array_sort(c->pending, by_time);
}

static void write_next(Connection *c)
{
	const Pending *p = &g_array_index(c->pending, Pending, c->next);
	const Header *header = p->header ? &c->headers[p->header - 1] : NULL;
	uint32_t kept = header ? header->len < p->len ? header->len : p->len : 0;
	capgen_tcp_segment(&c->tcp, p->t_ns,
		&(CapgenSegment){.side = p->side,
			.flags = p->flags,
			.seq = p->seq,
			.ack = p->ack,
			.payload = header ? header->bytes : NULL,
			.kept = kept,
			.len = p->len});
	c->packets++;
	if (++c->next == c->pending->len)
		advance(c);
}

static void connection_init(Connection *c, Capgen *capgen, unsigned number, uint64_t quota)
{
	static const int64_t rtts[] = {300 * CAPGEN_US, CAPGEN_MS, 5 * CAPGEN_MS, 20 * CAPGEN_MS};
	char client[16], server[16];
	g_snprintf(client, sizeof client, "10.1.%u.%u", number / 250, number % 250 + 1);
	g_snprintf(server, sizeof server, "10.2.0.%u", number % 20 + 1);
	c->tcp = capgen_tcp(capgen, client, (uint16_t)(40000 + number), server, 445);
	c->random = random_seeded(number + 1);
	c->tcp.end[CAPGEN_CLIENT].seq = (uint32_t)random_next(&c->random);
	c->tcp.end[CAPGEN_SERVER].seq = (uint32_t)random_next(&c->random);
	c->tcp.end[CAPGEN_CLIENT].window = c->tcp.end[CAPGEN_SERVER].window = 4 << 20;
	c->tcp.end[CAPGEN_SERVER].ttl = 63;
	c->now_ns = (int64_t)random_below(&c->random, (uint64_t)start_spread_ns);
	c->rtt_ns = rtts[random_below(&c->random, sizeof rtts / sizeof *rtts)];
	c->session = number + 1;
	c->quota = quota;
	c->pending = g_array_new(FALSE, FALSE, sizeof(Pending));
	advance(c);
}

static int64_t next_time(const Connection *c)
{
	return c->next < c->pending->len ? g_array_index(c->pending, Pending, c->next).t_ns
					 : INT64_MAX;
}

/* Restores the heap property downwards from @i: the earliest segment is at the top. */
static void sift_down(Connection **heap, unsigned count, unsigned i)
{
	for (;;) {
		unsigned least = i;
		for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
			if (next_time(heap[child]) < next_time(heap[least]))
				least = child;
		if (least == i)
			return;
		Connection *t = heap[i];
		heap[i] = heap[least];
		heap[least] = t;
		i = least;
	}
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc > 6) {
		fprintf(stderr,
			"usage: capgen_bench FILE PACKETS CONNECTIONS [BATCHES [SECONDS]]\n");
		return 2;
	}
	if (argc > 4)
		batches_per_file = (unsigned)strtoul(argv[4], NULL, 10);
	if (argc > 5)
		start_spread_ns = strtoll(argv[5], NULL, 10) * CAPGEN_S;
	uint64_t packets = strtoull(argv[2], NULL, 10);
	unsigned count = (unsigned)strtoul(argv[3], NULL, 10);
	FILE *out = count > 0 ? fopen(argv[1], "wb") : NULL;
	if (!out) {
		fprintf(stderr, "capgen_bench: cannot write %s\n", argv[1]);
		return 1;
	}
	static char buffer[1 << 20];
	setvbuf(out, buffer, _IOFBF, sizeof buffer);
	Capgen *capgen = capgen_new(out, argc > 4 ? MONITOR_SNAPLEN : SNAPLEN);
	capgen_stream(capgen);
	Connection *connections = g_new0(Connection, count);
	Connection **heap = g_new(Connection *, count);
	for (unsigned i = 0; i < count; i++) {
		connection_init(&connections[i], capgen, i, packets / count);
		heap[i] = &connections[i];
	}
	for (unsigned i = count; i > 0; i--)
		sift_down(heap, count, i - 1);
	while (capgen_count(capgen) < packets && next_time(heap[0]) != INT64_MAX) {
		write_next(heap[0]);
		sift_down(heap, count, 0);
	}
	for (unsigned i = 0; i < count; i++)
		g_array_free(connections[i].pending, TRUE);
	g_free(heap);
	g_free(connections);
	capgen_free(capgen);
	if (ferror(out) || fclose(out) != 0) {
		fprintf(stderr, "capgen_bench: writing %s failed\n", argv[1]);
		return 1;
	}
	return 0;
}
