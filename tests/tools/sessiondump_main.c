/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints what the sessions of captures are: a line per session, command and file with tab-separated
 * fields, for compare_sessions.py and for looking. -v adds a line per operation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/capture/reader.h"
#include "analyzer/flow/flow_key.h"
#include "analyzer/session/session.h"
#include "analyzer/session/session_stats.h"
#include "analyzer/tcp/connection.h"

typedef struct Talk {
	FlowKey key;
	TcpConnection tcp;
	Session *session;
	uint8_t client_addr[16];
	uint16_t client_port, server_port;
	unsigned number;
	uint64_t read_bytes, written_bytes;
	int64_t last_ns;
} Talk;

static bool verbose;

static void on_request(void *user, const Operation *op)
{
	Talk *talk = user;
	if (verbose)
		printf("request\t%u\t%s\tframe=%" PRIu64 "\tdepth=%u\tcredits=%d\tasked=%" PRIu64
		       "\tfile=%s\n",
			talk->number, message_command_name(op->protocol, op->command),
			op->request_frame, op->in_flight, op->credits_available, op->asked_bytes,
			op->file ? op->file->name : "-");
}

static void on_reply(void *user, const Operation *op)
{
	Talk *talk = user;
	if (op->verb == VERB_READ)
		talk->read_bytes += op->moved_bytes;
	if (op->verb == VERB_WRITE)
		talk->written_bytes += op->moved_bytes;
	if (verbose)
		printf("reply\t%u\t%s\tframes=%" PRIu64 "-%" PRIu64 "\ttime=%.6f\tmoved=%" PRIu64
		       "\tstatus=%08x\tanswered=%d\tfile=%s\n",
			talk->number, message_command_name(op->protocol, op->command),
			op->request_frame, op->reply_frame,
			(double)(op->reply_last_ns - op->request_last_ns) / 1e9, op->moved_bytes,
			op->status, op->answered, op->file ? op->file->name : "-");
}

static void on_opened(void *user, FileRef *file)
{
	Talk *talk = user;
	file->user = talk;
	if (verbose)
		printf("opened\t%u\t%s\t%s\n", talk->number, file->share, file->name);
}

static void on_closed(void *user, FileRef *file, int64_t now_ns)
{
	Talk *talk = user;
	(void)now_ns;
	printf("file\t%u\t%s\t%s\tsize=%" PRIu64 "\n", talk->number, file->share, file->name,
		file->size);
}

static void on_data(
	void *user, const uint8_t addr[16], uint16_t port, bool client_connects, FileRef *file)
{
	Talk *talk = user;
	(void)file;
	if (verbose)
		printf("data\t%u\t%u.%u.%u.%u:%u\t%s\n", talk->number, addr[12], addr[13], addr[14],
			addr[15], port, client_connects ? "passive" : "active");
}

static const SessionOps dump_ops = {.request = on_request,
	.reply = on_reply,
	.file_opened = on_opened,
	.file_closed = on_closed,
	.ftp_data = on_data};

static bool is_server_port(uint16_t port)
{
	return port == 445 || port == 139 || port == 21;
}

static Talk *talk_of(GHashTable *talks, const Packet *packet)
{
	FlowKey key;
	flow_key_of(packet, &key);
	GBytes *name = g_bytes_new(&key, sizeof key);
	Talk *talk = g_hash_table_lookup(talks, name);
	if (talk) {
		g_bytes_unref(name);
		return talk;
	}
	talk = g_new0(Talk, 1);
	bool swap = packet->tcp_flags & TCP_SYN
			    ? (packet->tcp_flags & TCP_ACK) != 0
			    : is_server_port(packet->src_port) && !is_server_port(packet->dst_port);
	memcpy(talk->client_addr, swap ? packet->dst : packet->src, 16);
	talk->client_port = swap ? packet->dst_port : packet->src_port;
	talk->server_port = swap ? packet->src_port : packet->dst_port;
	talk->number = g_hash_table_size(talks);
	tcp_connection_init(&talk->tcp);
	talk->session = session_new(&dump_ops, talk, NULL, talk->server_port, talk->client_port);
	g_hash_table_insert(talks, name, talk);
	return talk;
}

static void feed(Talk *talk, const Packet *packet)
{
	Side side = packet->src_port == talk->client_port &&
				    memcmp(packet->src, talk->client_addr, 16) == 0
			    ? SIDE_CLIENT
			    : SIDE_SERVER;
	TcpStep step;
	tcp_connection_step(&talk->tcp, side, packet, &step);
	talk->last_ns = packet->ts_ns;
	if (talk->tcp.loop_ns[SIDE_SERVER] != INT64_MAX)
		session_set_server_loop(talk->session, talk->tcp.loop_ns[SIDE_SERVER]);
	if (step.gap_from < step.gap_to)
		session_gap(
			talk->session, step.gap_side, step.gap_from, step.gap_to, packet->ts_ns);
	if (step.len == 0 || step.segment == SEGMENT_COPY || step.segment == SEGMENT_KEEP_ALIVE)
		return;
	SessionChunk chunk = {.offset = step.from,
		.len = step.len,
		.caplen = packet->payload_caplen,
		.data = packet->payload,
		.ts_ns = packet->ts_ns,
		.frame = packet->frame,
		.psh = (packet->tcp_flags & TCP_PSH) != 0,
		.fills_hole = step.segment != SEGMENT_NEW};
	session_push(talk->session, side, &chunk);
}

static void dump_times(const char *name, const TimeStats *times)
{
	printf("\t%s=%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64, name, times->count,
		times->min_ns, times->mean_ns, times->max_ns);
}

static void finish(gpointer name, gpointer value, gpointer data)
{
	Talk *talk = value;
	SessionStats stats;
	(void)name;
	(void)data;
	session_end(talk->session, talk->last_ns);
	if (!session_stats(talk->session, &stats))
		return;
	printf("session\t%u\t%s\tdialect=%s\tread=%" PRIu64 "\twritten=%" PRIu64
	       "\tcredits_min=%d\tsigned=%d\tencrypted=%d\tanomalies=%" PRIu64 "\tresyncs=%" PRIu64
	       "\tmax_read=%u\n",
		talk->number, stats.protocol, stats.dialect ? stats.dialect : "-", talk->read_bytes,
		talk->written_bytes, stats.credits_min, stats.is_signed, stats.is_encrypted,
		stats.anomalies, stats.resyncs, stats.max_read_bytes);
	for (size_t i = 0; i < stats.command_count; i++) {
		const CommandStats *c = &stats.commands[i];
		printf("command\t%u\t%d\t%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
			talk->number, c->protocol, c->command,
			message_command_name(c->protocol, c->command), c->requests, c->responses,
			c->errors, c->pending);
		dump_times("response", &c->response_time);
		dump_times("server", &c->server_time);
		putchar('\n');
	}
}

static void talk_free(gpointer value)
{
	Talk *talk = value;
	session_free(talk->session);
	tcp_connection_clear(&talk->tcp);
	g_free(talk);
}

int main(int argc, char **argv)
{
	int at = 1;
	if (argc > 1 && strcmp(argv[1], "-v") == 0) {
		verbose = true;
		at++;
	}
	ReaderOptions options = {0};
	g_autoptr(GError) error = NULL;
	g_autoptr(Reader) reader =
		reader_open((const char *const *)argv + at, (size_t)(argc - at), &options, &error);
	if (!reader) {
		fprintf(stderr, "%s\n", error->message);
		return 2;
	}
	flow_hash_seed();
	g_autoptr(GHashTable) talks = g_hash_table_new_full(
		g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, talk_free);
	Packet batch[READER_BATCH];
	size_t count;
	while ((count = reader_next_batch(reader, batch)) > 0) {
		for (size_t i = 0; i < count; i++) {
			if (batch[i].kind == PACKET_TCP)
				feed(talk_of(talks, &batch[i]), &batch[i]);
		}
	}
	g_hash_table_foreach(talks, finish, NULL);
	return 0;
}
