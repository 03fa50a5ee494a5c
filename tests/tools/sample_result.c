/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of sample_result.h. Numbers are those a real copy of its kind would have, and sums
 * that the contract demands hold.
 */
#include "tests/tools/sample_result.h"

#include <string.h>

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)
#define BINS 244
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *const sample_result_names[] = {
	"slow-read", "healthy", "ftp-job", "empty", "hostile", NULL};

/** Series with its memory. */
typedef struct SampleSeries {
	uint64_t bytes[BINS], in_flight[BINS], window[BINS];
	int64_t rtt_ns[BINS];
	uint32_t requests[BINS], retransmissions[BINS];
	uint8_t dominant[BINS];
} SampleSeries;

static void address_v4(uint8_t ret[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
	memset(ret, 0, 10);
	ret[10] = ret[11] = 0xff;
	ret[12] = (uint8_t)a;
	ret[13] = (uint8_t)b;
	ret[14] = (uint8_t)c;
	ret[15] = (uint8_t)d;
}

/** noise: the same "random" number in 0..@range-1 for the same @seed on every run. */
static uint32_t noise(uint32_t seed, uint32_t range)
{
	seed = seed * 2654435761u + 12345u;
	seed ^= seed >> 15;
	seed *= 2246822519u;
	return (seed >> 8) % range;
}

/** series_fill: a series of @bins bins whose bytes sum to @bytes, with a dip in the middle. */
static void series_fill(SampleSeries *s, ResultSeries *ret, int64_t start_ns, int64_t duration_ns,
	uint64_t bytes, size_t bins, Bucket usual, Bucket dip, uint64_t window, int64_t rtt_ns)
{
	uint64_t left = bytes, weights = 0, weight;

	for (size_t i = 0; i < bins; i++)
		weights += i > bins * 2 / 5 && i < bins / 2 ? 35 : 96 + noise((uint32_t)i, 9);
	for (size_t i = 0; i < bins; i++) {
		bool dips = i > bins * 2 / 5 && i < bins / 2;

		weight = dips ? 35 : 96 + noise((uint32_t)i, 9);
		s->bytes[i] = i + 1 == bins ? left : bytes / weights * weight;
		left -= s->bytes[i];
		s->in_flight[i] = window / 4 + window / 64 * noise((uint32_t)i + 999, 16);
		s->window[i] = i < 8 ? window / 8 * (i + 1) : window;
		s->rtt_ns[i] = i % 17 == 5 ? RESULT_UNKNOWN_NS
					   : rtt_ns + rtt_ns / 50 * noise((uint32_t)i + 77, 20);
		s->requests[i] = 1;
		s->retransmissions[i] = dips ? noise((uint32_t)i, 3) : 0;
		s->dominant[i] = (uint8_t)(dips ? dip : usual);
	}
	*ret = (ResultSeries){.start_ns = start_ns,
		.bin_ns = (duration_ns + (int64_t)bins - 1) / (int64_t)bins,
		.bin_count = bins,
		.bytes = s->bytes,
		.in_flight = s->in_flight,
		.window = s->window,
		.rtt_ns = s->rtt_ns,
		.requests_in_flight = s->requests,
		.retransmissions = s->retransmissions,
		.dominant = s->dominant};
}

/** budget_fill: all buckets in order, zero, and their duration in @rest. */
static void budget_fill(ResultTransfer *t, Bucket rest)
{
	for (size_t i = 0; i < BUCKET_COUNT; i++)
		t->budget[i] = (ResultBucket){.bucket = (Bucket)i};
	t->budget[rest].ns = t->duration_ns;
}

/** budget_move: @ns from @from to @to, of class @op_class where classes are kept. */
static void budget_move(ResultTransfer *t, Bucket from, Bucket to, OpClass op_class, int64_t ns)
{
	t->budget[from].ns -= ns;
	t->budget[to].ns += ns;
	if (to == BUCKET_ROUND_TRIP)
		t->round_trip_ns[op_class] += ns;
	if (to == BUCKET_SERVER_PROCESSING)
		t->server_ns[op_class] += ns;
}

static const char *const ethernet[] = {"EN10MB"};

/* ---- a serial SMB read over a path of 6.5 ms: the first screen of the design */

static ResultConnection slow_connection(void)
{
	ResultConnection c = {.stream = 0,
		.client.port = 40122,
		.server.port = 445,
		.protocol = "smb2",
		.start_ns = 2 * MS,
		.duration_ns = 61040 * MS,
		.handshake_seen = true,
		.initial_rtt_ns = 6512000,
		.min_rtt_ns = 6480000,
		.client_loop_ns = 20000,
		.server_loop_ns = 6460000,
		.vantage = VANTAGE_CLIENT,
		.closed_by = CLOSED_BY_FIN,
		.capacity_bytes_per_s = {0, 93e6},
		.capacity_proven = {false, true}};
	ResultDirection up = {.packets = 183210,
		.payload_packets = 8110,
		.payload_bytes = 948870,
		.unique_bytes = 948870,
		.mss_bytes = 1460,
		.window_scale = 7,
		.sack_permitted = true,
		.timestamps = true,
		.min_rtt_ns = 6480000,
		.median_rtt_ns = 6530000,
		.max_rtt_ns = 9120000,
		.max_in_flight_bytes = 117,
		.max_window_bytes = 3145728,
		.max_segment_bytes = 240};
	ResultDirection down = {.packets = 366790,
		.payload_packets = 366012,
		.payload_bytes = 530700000,
		.unique_bytes = 530700000,
		.duplicate_acks = 0,
		.mss_bytes = 1460,
		.window_scale = 10,
		.sack_permitted = true,
		.timestamps = true,
		.min_rtt_ns = 6480000,
		.median_rtt_ns = 6610000,
		.max_rtt_ns = 11020000,
		.max_in_flight_bytes = 65620,
		.max_window_bytes = 65535,
		.max_segment_bytes = 43800};

	address_v4(c.client.addr, 10, 0, 0, 2);
	address_v4(c.server.addr, 10, 0, 0, 9);
	c.direction[SIDE_CLIENT] = up;
	c.direction[SIDE_SERVER] = down;
	return c;
}

static ResultSession slow_session(void)
{
	static const uint32_t streams[] = {0};
	static const CommandStats commands[] = {
		{MESSAGE_SMB2, 0, 1, 1, 0, 0, {1, 7 * MS, 7 * MS, 7 * MS, 7 * MS, 7 * MS},
			{1, MS, MS, MS, MS, MS}, {0}},
		{MESSAGE_SMB2, 1, 2, 2, 1, 0, {2, 7 * MS, 8 * MS, 9 * MS, 9 * MS, 8 * MS},
			{2, MS, MS, 2 * MS, 2 * MS, MS}, {0}},
		{MESSAGE_SMB2, 5, 1, 1, 0, 0, {1, 7 * MS, 7 * MS, 7 * MS, 7 * MS, 7 * MS},
			{1, 500000, 500000, 500000, 500000, 500000}, {0}},
		{MESSAGE_SMB2, 6, 1, 1, 0, 0, {1, 7 * MS, 7 * MS, 7 * MS, 7 * MS, 7 * MS},
			{1, 400000, 400000, 400000, 400000, 400000}, {0}},
		{MESSAGE_SMB2, 8, 8088, 8088, 0, 0,
			{8088, 7010000, 7450000, 8020000, 31000000, 7512000},
			{8088, 90000, 220000, 1100000, 24100000, 233000}, {0}}};

	static const ResultPhase phases[] = {{"name-lookup", 0, 4 * MS, 4 * MS, 2, "dns, llmnr"},
		{"connect", 5 * MS, 6 * MS, 6 * MS, 1, NULL},
		{"negotiate", 12 * MS, 7 * MS, 7 * MS, 1, NULL},
		{"login", 19 * MS, 17 * MS, 16 * MS, 2, NULL},
		{"open", 36 * MS, 7 * MS, 7 * MS, 1, NULL}};
	static const FileActivity files[] = {
		{"images\\backup.iso", "\\\\nas\\public", false, 530000000, 8091, 0, 1, 0, 0, 8088,
			0, 0, 1, 530000000, 0, 0, 0, 60900 * MS, 22 * MS, 31 * MS},
		{"images\\desktop.ini", "\\\\nas\\public", false, 0, 3, 3, 0, 3, 2, 0, 0, 0, 0, 0,
			0, 0, 0, 21 * MS, 21 * MS, 7 * MS}};
	static const SessionBin bins[] = {{1, 500}, {1, 31}, {0, INT32_MIN}, {1, 60}};

	return (ResultSession){.streams = streams,
		.stream_count = 1,
		.phases = phases,
		.phase_count = COUNT(phases),
		.first_data_ns = 43 * MS,
		.bins_start_ns = 43 * MS,
		.stats = {.protocol = "smb2",
			.read_size = {8088, 8192, 65536, 65536, {[13] = 1, [16] = 8087},
				SIZE_LIMIT_CLIENT_OFFER},
			.cipher = 2,
			.counts = {.messages = 16190,
				.signed_messages = 16188,
				.opens = 1,
				.not_found = 3,
				.leases_asked = 1,
				.credits_charged = 8100,
				.credits_granted = 8131,
				.credits_left = 32,
				.credits_max = 512},
			.files = files,
			.file_count = COUNT(files),
			.bins = bins,
			.bin_count = COUNT(bins),
			.bin_ns = 15240 * MS,
			.anomaly_kinds = {{"smb2-unknown-command", 2}},
			.anomaly_kind_count = 1,
			.anomalies = 2,
			.dialect = "3.1.1",
			.offered = {"2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"},
			.offered_count = 5,
			.is_signed = true,
			.negotiate_seen = true,
			.max_read_bytes = 8388608,
			.max_write_bytes = 8388608,
			.credits_min = 31,
			.commands = commands,
			.command_count = COUNT(commands)}};
}

static const ResultFinding slow_findings[] = {
	{.id = "F1",
		.cause = "smb-serial-requests",
		.severity = SEVERITY_CRITICAL,
		.confidence = CONFIDENCE_HIGH,
		.scope = SCOPE_TRANSFER,
		.scope_id = "T1",
		.transfer = 0,
		.title = "One request at a time",
		.sentence = "The client asks for one 64 KiB block at a time and waits a 6.5 ms "
			    "round trip for each.",
		.explanation =
			"Every request has to travel to the server and its answer back before the "
			"next one leaves. The path stands empty in between.",
		.fix = "eight blocks in flight",
		.advice = (const char *const[]){"Copy with a program that overlaps its requests "
						"(robocopy, Explorer, rclone).",
			"Copy several files in parallel: robocopy /MT:8."},
		.advice_count = 2,
		.doubt = "All packets of it are in the capture and the ceiling agrees with the "
			 "measured rate within 1 %.",
		.lost_ns = 52500 * MS,
		.saved_ns = {52000 * MS, 53 * S},
		.predicted_bytes_per_s = {66e6, 70e6},
		.ceiling_bytes_per_s = 8.7e6,
		.ceiling_formula = "64 KiB / 7.5 ms = 8.7 MB/s",
		.numbers = (const ResultNumber[]){{"block size", NUMBER_BYTES, 65536, NULL},
			{"round trip", NUMBER_NS, 6480000, NULL},
			{"requests in flight", NUMBER_COUNT, 1, NULL},
			{"requests", NUMBER_COUNT, 8088, NULL},
			{"time in round trips", NUMBER_PERCENT, 86.07, NULL},
			{"dialect", NUMBER_NAME, 0, "3.1.1"}},
		.number_count = 6,
		.evidence = (const ResultEvidence[]){{0, 21, 41 * MS,
							     "READ of 64 KiB at offset 0 asked"},
			{0, 68, 48 * MS, "its answer complete; the next request leaves"},
			{0, 275400, 30500 * MS, "the same in the middle of the copy"}},
		.evidence_count = 3,
		.filter = "tcp.stream == 0 && smb2.cmd == 8"},
	{.id = "F2",
		.cause = "smb2-no-large-mtu",
		.severity = SEVERITY_CRITICAL,
		.confidence = CONFIDENCE_MEDIUM,
		.scope = SCOPE_SESSION,
		.scope_id = "0",
		.transfer = 0,
		.title = "Blocks of 64 KiB where 1 MiB is possible",
		.sentence = "The client never offered large MTU although the server allows blocks "
			    "of 8 MiB.",
		.explanation = "A larger block moves more data per round trip.",
		.fix = "blocks of 1 MiB",
		.advice = (const char *const[]){"Windows 7 and 2008 R2: "
						"Set-SmbClientConfiguration -EnableLargeMtu $true"},
		.advice_count = 1,
		.next_test = "Compare with the same copy over port 445 and dialect 3.1.1.",
		.lost_ns = 52500 * MS,
		.saved_ns = {47 * S, 51 * S},
		.predicted_bytes_per_s = {47e6, 58e6},
		.numbers = (const ResultNumber[]){{"block size", NUMBER_BYTES, 65536, NULL},
			{"server allows", NUMBER_BYTES, 8388608, NULL}},
		.number_count = 2,
		.evidence = (const ResultEvidence[]){{0, 6, 12 * MS, "server's negotiate answer"}},
		.evidence_count = 1,
		.filter = "tcp.stream == 0 && smb2.cmd == 0"},
	{.id = "F3",
		.cause = "capture-offload-frames",
		.severity = SEVERITY_INFO,
		.confidence = CONFIDENCE_HIGH,
		.scope = SCOPE_CAPTURE,
		.scope_id = "",
		.transfer = -1,
		.title = "Frames larger than the wire carries",
		.sentence = "The capturing host joins segments before the capture sees them.",
		.explanation = "Packet counts are lower than on the wire; times are not changed.",
		.numbers = (const ResultNumber[]){{"largest segment", NUMBER_BYTES, 43800, NULL}},
		.number_count = 1,
		.saved_ns = {0, 0}},
};

static const Result *sample_slow_read(void)
{
	static const ResultInput inputs[] = {
		{"capture.pcap", "pcap", "none", 550000, 541210345, -1, NULL}};
	static const ResultCaveat caveats[] = {{"capture-offload-frames", 11210,
		"frames are larger than the network carries: the capturing host's card joins or "
		"splits them"}};
	static const ResultCount ignored[] = {{"not-ip", 12}, {"arp", 4}};
	static const ResultRuledOut ruled_out[] = {{"loss-random", "loss 0.00 %"},
		{"receive-window-small", "receive window open 99 % of the time"},
		{"server-slow-read", "95 % of answers within 1.1 ms"}};
	static const uint32_t streams[] = {0}, findings[] = {0, 1};
	static const ResultSlice slices[] = {{25 * MS, 24400 * MS, 0, 8.9e6, BUCKET_ROUND_TRIP},
		{24425 * MS, 6100 * MS, 217000000, 3.1e6, BUCKET_SERVER_PROCESSING},
		{30525 * MS, 30475 * MS, 236000000, 9.6e6, BUCKET_ROUND_TRIP}};
	static const ResultFix fixes[] = {{0, {52 * S, 53 * S}, {8 * S, 9 * S}, {59e6, 66e6}},
		{1, {53 * S, 54500 * MS}, {6500 * MS, 8 * S}, {66e6, 82e6}}};
	static const ResultStall stalls[] = {
		{0, 0, 30410 * MS, 114 * MS, OWED_BY_SERVER, BUCKET_SERVER_PROCESSING, 274800},
		{0, 0, 12000 * MS, 31 * MS, OWED_BY_CLIENT, BUCKET_CLIENT_THINK, 108211}};
	static SampleSeries series;
	static OperationSample operations[96];
	static ResultTransfer transfer;
	static ResultConnection connection;
	static ResultSession session;
	static ResultHostPair pair;
	static ResultUdpFlow udp_flow = {.from = {.port = 5201},
		.to = {.port = 40234},
		.program = "iperf3",
		.datagrams = 8633,
		.bytes = 12500000,
		.start_ns = 55 * S,
		.duration_ns = S,
		.bytes_per_s = 12.5e6,
		.lost = 12,
		.late = 0,
		.numbered_by = "own numbers",
		.first_frame = 540100};
	static const char *const protocols[] = {"smb2"};
	static Result r;

	connection = slow_connection();
	session = slow_session();
	transfer = (ResultTransfer){.id = "T1",
		.streams = streams,
		.stream_count = 1,
		.client = connection.client,
		.server = connection.server,
		.protocol = "smb2",
		.file = "images\\backup.iso",
		.share = "\\\\nas\\public",
		.files = 1,
		.bytes = 530000000,
		.start_ns = 25 * MS,
		.duration_ns = 60975 * MS,
		.requests = 8088,
		.request_bytes_median = 65536,
		.request_bytes_max = 65536,
		.requests_in_flight_mean = 1.0,
		.requests_in_flight_max = 1,
		.slices = slices,
		.slice_count = COUNT(slices),
		.operations = operations,
		.operation_count = COUNT(operations),
		.findings = findings,
		.finding_count = 2,
		.fixes = fixes,
		.fix_count = COUNT(fixes),
		.capacity_bytes_per_s = 93e6,
		.capacity_proven = true,
		.rtt_ns = 6480000};
	budget_fill(&transfer, BUCKET_LINK);
	budget_move(&transfer, BUCKET_LINK, BUCKET_ROUND_TRIP, OP_READ, 52410 * MS);
	budget_move(&transfer, BUCKET_LINK, BUCKET_ROUND_TRIP, OP_OPEN, 26 * MS);
	budget_move(&transfer, BUCKET_LINK, BUCKET_SERVER_PROCESSING, OP_READ, 1830 * MS + 17);
	budget_move(&transfer, BUCKET_LINK, BUCKET_CLIENT_THINK, OP_OTHER, 1220 * MS + 1);
	series_fill(&series, &transfer.series, transfer.start_ns, transfer.duration_ns,
		transfer.bytes, BINS, BUCKET_ROUND_TRIP, BUCKET_SERVER_PROCESSING, 3145728,
		6480000);
	for (size_t i = 0; i < COUNT(operations); i++) {
		int64_t at = transfer.start_ns + (int64_t)i * (transfer.duration_ns / 97);
		int64_t wait =
			6700000 + noise((uint32_t)i, 900) * 1000 + (i % 31 == 30 ? 24 * MS : 0);

		operations[i] = (OperationSample){.protocol = MESSAGE_SMB2,
			.command = 8,
			.request_ns = at,
			.reply_first_ns = at + wait,
			.reply_ns = at + wait + 700000,
			.offset = i * UINT64_C(84) * 65536,
			.bytes = 65536,
			.request_frame = 21 + i * 5700,
			.reply_frame = 68 + i * 5700};
	}
	pair = (ResultHostPair){.a_to_b = {.slowest = -1},
		.b_to_a = {.bytes = 530700000,
			.bytes_per_s = 8.69e6,
			.transfers = 1,
			.read_bytes = 530700000,
			.read_bytes_per_s = 8.69e6,
			.slowest = 0,
			.dominant = BUCKET_ROUND_TRIP,
			.dominant_share = 0.86,
			.reference_bytes_per_s = 11.7e6,
			.reference = "iperf3"},
		.protocols = protocols,
		.protocol_count = 1,
		.worst_finding = 0};
	memcpy(udp_flow.from.addr, connection.server.addr, 16);
	memcpy(udp_flow.to.addr, connection.client.addr, 16);
	memcpy(pair.a, connection.client.addr, 16);
	memcpy(pair.b, connection.server.addr, 16);
	r = (Result){.inputs = inputs,
		.input_count = 1,
		.capture = {.first_packet_ns = INT64_C(1796040000000000000),
			.duration_ns = 61042 * MS + 345678,
			.packets = 550016,
			.bytes = 566900000,
			.captured_bytes = 532400000,
			.link_types = ethernet,
			.link_type_count = 1,
			.snaplen = 262144,
			.dropped_packets = 0,
			.grade = 'B',
			.caveats = caveats,
			.caveat_count = 1,
			.ignored = ignored,
			.ignored_count = 2},
		.verdict = {.cause = "smb-serial-requests",
			.finding = 0,
			.transfer = 0,
			.confidence = CONFIDENCE_HIGH,
			.blame = "CLIENT",
			.sentence = "The client asks for one 64 KiB block at a time and waits a "
				    "6.5 ms round trip for each.",
			.measured_bytes_per_s = 8.692e6,
			.ceiling_bytes_per_s = 8.7e6,
			.ceiling_formula = "64 KiB / 7.5 ms = 8.7 MB/s",
			.predicted_bytes_per_s = {66e6, 70e6},
			.saved_ns = {52 * S, 53 * S},
			.ruled_out = ruled_out,
			.ruled_out_count = 3},
		.connections = &connection,
		.connection_count = 1,
		.sessions = &session,
		.session_count = 1,
		.transfers = &transfer,
		.transfer_count = 1,
		.findings = slow_findings,
		.finding_count = COUNT(slow_findings),
		.host_pairs = &pair,
		.host_pair_count = 1,
		.udp_flows = &udp_flow,
		.udp_flow_count = 1,
		.stalls = stalls,
		.stall_count = 2};
	return &r;
}

/* ---- a gigabit link that is full */

static const Result *sample_healthy(void)
{
	static const ResultInput inputs[] = {
		{"healthy.pcapng", "pcapng", "zstd", 741000, 1062000000, -1, NULL}};
	static const ResultRuledOut ruled_out[] = {
		{"loss-random", "loss 0.00 %"}, {"receive-window-small", "window never full"}};
	static const uint32_t streams[] = {3}, findings[] = {0};
	static const ResultFinding note[] = {{.id = "F1",
		.cause = "link-limited",
		.severity = SEVERITY_INFO,
		.confidence = CONFIDENCE_HIGH,
		.scope = SCOPE_TRANSFER,
		.scope_id = "T1",
		.title = "The link is full",
		.sentence = "112 MB/s is what gigabit Ethernet carries.",
		.explanation = "The copy runs as fast as the network allows.",
		.filter = "tcp.stream == 3"}};
	static SampleSeries series;
	static ResultTransfer transfer;
	static ResultConnection connection;
	static ResultSession session;
	static Result r;

	connection = slow_connection();
	connection.stream = 3;
	connection.duration_ns = 9200 * MS;
	connection.capacity_bytes_per_s[SIDE_CLIENT] = 117.6e6;
	connection.capacity_proven[SIDE_CLIENT] = true;
	address_v4(connection.client.addr, 192, 168, 1, 20);
	address_v4(connection.server.addr, 192, 168, 1, 5);
	session = slow_session();
	session.streams = streams;
	transfer = (ResultTransfer){.id = "T1",
		.streams = streams,
		.stream_count = 1,
		.client = connection.client,
		.server = connection.server,
		.protocol = "smb2",
		.is_write = true,
		.file = "video.mkv",
		.share = "\\\\nas\\media",
		.files = 1,
		.bytes = 1000000000,
		.start_ns = 40 * MS,
		.duration_ns = 8929 * MS,
		.requests = 954,
		.request_bytes_median = 1048576,
		.request_bytes_max = 1048576,
		.requests_in_flight_mean = 7.4,
		.requests_in_flight_max = 8,
		.findings = findings,
		.finding_count = 1,
		.capacity_bytes_per_s = 117.6e6,
		.capacity_proven = true,
		.rtt_ns = 310000};
	budget_fill(&transfer, BUCKET_LINK);
	budget_move(&transfer, BUCKET_LINK, BUCKET_SLOW_START, OP_OTHER, 31 * MS);
	budget_move(&transfer, BUCKET_LINK, BUCKET_SERVER_PROCESSING, OP_WRITE, 188 * MS);
	series_fill(&series, &transfer.series, transfer.start_ns, transfer.duration_ns,
		transfer.bytes, 122, BUCKET_LINK, BUCKET_LINK, 8388608, 400000);
	r = (Result){.inputs = inputs,
		.input_count = 1,
		.capture = {.first_packet_ns = INT64_C(1796043600500000000),
			.duration_ns = 9300 * MS,
			.packets = 741000,
			.bytes = 1062000000,
			.captured_bytes = 1062000000,
			.link_types = ethernet,
			.link_type_count = 1,
			.snaplen = 262144,
			.dropped_packets = 0,
			.grade = 'A'},
		.verdict = {.finding = 0,
			.transfer = 0,
			.confidence = CONFIDENCE_HIGH,
			.sentence = "Nothing is wrong: 112 MB/s is a full gigabit link.",
			.measured_bytes_per_s = 112e6,
			.ceiling_bytes_per_s = 117.6e6,
			.ruled_out = ruled_out,
			.ruled_out_count = 2},
		.connections = &connection,
		.connection_count = 1,
		.sessions = &session,
		.session_count = 1,
		.transfers = &transfer,
		.transfer_count = 1,
		.findings = note,
		.finding_count = 1};
	return &r;
}

/* ---- 200 small files over FTP, a connection for each */

#define FTP_FILES 200

static void ftp_transfers(ResultTransfer *files, ResultConnection *connections)
{
	static char names[FTP_FILES][32], ids[FTP_FILES][8];
	static uint32_t streams[FTP_FILES][2];

	connections[0] = slow_connection();
	connections[0].protocol = "ftp";
	connections[0].server.port = 21;
	connections[0].duration_ns = 30 * S;
	for (uint32_t i = 0; i < FTP_FILES; i++) {
		ResultConnection *c = &connections[i + 1];
		ResultTransfer *t = &files[i];

		*c = slow_connection();
		c->stream = i + 1;
		c->protocol = "ftp-data";
		c->client.port = (uint16_t)(50000 + i);
		c->server.port = (uint16_t)(30000 + i);
		c->start_ns = 100 * MS + i * 140 * MS;
		c->duration_ns = 60 * MS;
		g_snprintf(names[i], sizeof names[i], "photos/img-%04u.jpg", i);
		g_snprintf(ids[i], sizeof ids[i], "T%u", i + 1);
		streams[i][0] = 0;
		streams[i][1] = i + 1;
		*t = (ResultTransfer){.id = ids[i],
			.streams = streams[i],
			.stream_count = 2,
			.client = c->client,
			.server = connections[0].server,
			.protocol = "ftp",
			.file = names[i],
			.files = 1,
			.bytes = 40000 + noise(i, 20000),
			.start_ns = c->start_ns,
			.duration_ns = 130 * MS,
			.requests = 1,
			.request_bytes_median = 40000,
			.request_bytes_max = 60000,
			.requests_in_flight_mean = 1,
			.requests_in_flight_max = 1,
			.rtt_ns = 20 * MS};
		budget_fill(t, BUCKET_ROUND_TRIP);
		t->round_trip_ns[OP_FTP] = 85 * MS;
		budget_move(t, BUCKET_ROUND_TRIP, BUCKET_CONNECTION_SETUP, OP_OTHER, 40 * MS);
		budget_move(t, BUCKET_ROUND_TRIP, BUCKET_LINK, OP_OTHER, 5 * MS);
	}
}

static const ResultFinding ftp_findings[] = {{.id = "F1",
	.cause = "ftp-connection-per-file",
	.severity = SEVERITY_CRITICAL,
	.confidence = CONFIDENCE_HIGH,
	.scope = SCOPE_TRANSFER,
	.scope_id = "J1",
	.transfer = FTP_FILES,
	.title = "A connection for every file",
	.sentence = "200 files of about 50 kB each cost 6 round trips of 20 ms before "
		    "their first byte.",
	.explanation = "FTP opens a new connection for every file.",
	.fix = "pack the files into one archive",
	.advice = (const char *const[]){"Send one archive (tar, zip).",
		"Use four connections at once: lftp mirror -P 4."},
	.advice_count = 2,
	.lost_ns = 25 * S,
	.saved_ns = {18 * S, 24 * S},
	.predicted_bytes_per_s = {1.1e6, 2.4e6},
	.evidence = (const ResultEvidence[]){{0, 12, 100 * MS, "RETR of one file"}},
	.evidence_count = 1,
	.filter = "ftp.request.command == \"RETR\""}};

static const Result *sample_ftp_job(void)
{
	static const ResultInput inputs[] = {{"ftp.pcap.gz", "pcap", "gzip", 14200, 11200000,
		11100000, "the file ends inside packet 14201"}};
	static const uint32_t streams[] = {0, 1, 2, 3, 4, 5, 6, 7}, findings[] = {0};
	static const ResultRuledOut ruled_out[] = {{"loss-random", "loss 0.00 %"},
		{"server-slow-read", "95 % of answers within 0.4 ms"}};
	static const ResultLimit limits[] = {
		{"connections", 12, "12 idle connections were forgotten before the end"}};
	static ResultTransfer files[FTP_FILES], job;
	static ResultConnection connections[FTP_FILES + 1];
	static const CommandStats commands[] = {{MESSAGE_FTP, 0, 200, 200, 0, 200,
		{200, 20 * MS, 21 * MS, 30 * MS, 40 * MS, 22 * MS}, {0, 0, 0, 0, 0, 0}, {0}}};
	static ResultSession session;
	static Result r;

	ftp_transfers(files, connections);
	session = (ResultSession){.streams = streams,
		.stream_count = 1,
		.stats = {.protocol = "ftp",
			.credits_min = INT32_MIN,
			.counts = {.credits_left = INT32_MIN, .credits_max = INT32_MIN},
			.commands = commands,
			.command_count = 1}};
	job = (ResultTransfer){.id = "J1",
		.is_job = true,
		.streams = streams,
		.stream_count = COUNT(streams),
		.client = connections[0].client,
		.server = connections[0].server,
		.protocol = "ftp",
		.files = FTP_FILES,
		.bytes = 10000000,
		.start_ns = 100 * MS,
		.duration_ns = 28 * S,
		.requests = FTP_FILES,
		.request_bytes_median = 50000,
		.request_bytes_max = 60000,
		.requests_in_flight_mean = 1,
		.requests_in_flight_max = 1,
		.findings = findings,
		.finding_count = 1,
		.rtt_ns = 20 * MS};
	budget_fill(&job, BUCKET_ROUND_TRIP);
	job.round_trip_ns[OP_FTP] = 19 * S;
	budget_move(&job, BUCKET_ROUND_TRIP, BUCKET_CONNECTION_SETUP, OP_OTHER, 8 * S);
	budget_move(&job, BUCKET_ROUND_TRIP, BUCKET_LINK, OP_OTHER, 1 * S);
	r = (Result){.inputs = inputs,
		.input_count = 1,
		.capture = {.first_packet_ns = INT64_C(1796043600000000000),
			.duration_ns = 30 * S,
			.packets = 14200,
			.bytes = 11000000,
			.captured_bytes = 11000000,
			.link_types = ethernet,
			.link_type_count = 1,
			.snaplen = 65535,
			.dropped_packets = -1,
			.grade = 'C'},
		.verdict = {.cause = "ftp-connection-per-file",
			.finding = 0,
			.transfer = FTP_FILES,
			.confidence = CONFIDENCE_HIGH,
			.blame = "PROTOCOL",
			.sentence = ftp_findings[0].sentence,
			.measured_bytes_per_s = 357000,
			.predicted_bytes_per_s = {1.1e6, 2.4e6},
			.saved_ns = {18 * S, 24 * S},
			.ruled_out = ruled_out,
			.ruled_out_count = 2},
		.connections = connections,
		.connection_count = FTP_FILES + 1,
		.sessions = &session,
		.session_count = 1,
		.transfers = files,
		.transfer_count = FTP_FILES,
		.jobs = &job,
		.job_count = 1,
		.findings = ftp_findings,
		.finding_count = 1,
		.limits = limits,
		.limit_count = 1,
		.is_partial = true};
	return &r;
}

/* ---- no file transfer at all */

static const Result *sample_empty(void)
{
	static const ResultInput inputs[] = {{"web.pcap", "pcap", "none", 420, 300000, -1, NULL}};
	static const ResultCount ignored[] = {{"arp", 20}, {"udp", 95}, {"icmp", 5}};
	static ResultConnection connections[3];
	static Result r;

	for (uint32_t i = 0; i < COUNT(connections); i++) {
		connections[i] = slow_connection();
		connections[i].stream = i;
		connections[i].server.port = i == 2 ? 80 : 443;
		connections[i].protocol = "other";
		connections[i].application = i == 2 ? "HTTP" : "TLS";
		connections[i].initial_rtt_ns = RESULT_UNKNOWN_NS;
		connections[i].vantage = VANTAGE_UNKNOWN;
	}
	r = (Result){.inputs = inputs,
		.input_count = 1,
		.capture = {.first_packet_ns = INT64_C(1796043600000000000),
			.duration_ns = 3200 * MS,
			.packets = 420,
			.bytes = 300000,
			.captured_bytes = 300000,
			.link_types = ethernet,
			.link_type_count = 1,
			.snaplen = 262144,
			.dropped_packets = -1,
			.grade = 'A',
			.ignored = ignored,
			.ignored_count = 3},
		.verdict = {.finding = -1,
			.transfer = -1,
			.confidence = CONFIDENCE_HIGH,
			.sentence = "There is no file transfer in this capture."},
		.connections = connections,
		.connection_count = COUNT(connections)};
	return &r;
}

/* ---- names and numbers that mean harm; clean UTF-8, as the contract promises, and nothing more */

#define LONG_NAME                                                                                  \
	"very-long-directory-name-that-never-ends\\and-one-more-level-of-it\\and-then-another-"    \
	"level\\still-not-the-end-of-this-path\\report of the year (final) (final2).xlsx"

static const ResultFinding hostile_findings[] = {{.id = "F1",
	.cause = "loss-random",
	.severity = SEVERITY_MAJOR,
	.confidence = CONFIDENCE_LOW,
	.scope = SCOPE_TRANSFER,
	.scope_id = "T1",
	.transfer = 0,
	.title = "Loss <i>here</i> & there",
	.sentence = "Copying <script>alert(1)</script>.iso met loss | and `ticks` "
		    "@everyone.",
	.explanation = "a\"b'c<d>e&f",
	.fix = "find the | bad <b>cable</b> that sits somewhere between the two hosts and "
	       "replace it, then copy again to see whether it was the one",
	.doubt = "only </script> says so",
	.next_test = "ask \x1b[31m<img src=x onerror=alert(1)> about it",
	.lost_ns = INT64_MAX / 2,
	.saved_ns = {RESULT_UNKNOWN_NS, RESULT_UNKNOWN_NS},
	.numbers = (const ResultNumber[]){{"<b>rate", NUMBER_RATE, 1e300, NULL},
		{"percent", NUMBER_PERCENT, -0.0, NULL}, {"bytes", NUMBER_BYTES, 1e25, NULL},
		{"name", NUMBER_NAME, 0, LONG_NAME}},
	.number_count = 4,
	.evidence = (const ResultEvidence[]){{1, UINT64_MAX, INT64_MIN,
		"<img src=x onerror=alert(1)>"}},
	.evidence_count = 1,
	.filter = "tcp.stream == 4294967295 && smb2.filename == \"<a>|`\""}};

static const Result *sample_hostile(void)
{
	static const char *const names[] = {"<script>alert(1)</script>.iso",
		"|a|b|`c` **d** @everyone #1 https://evil.example/ ![x](y)",
		"資料フォルダ\\とても長い名前のファイル名です.iso", LONG_NAME,
		"\"; DROP TABLE files; --\\'x'\"", "</script><!--", "=cmd|'/c calc'!A0",
		"e\xcc\x81\xcc\x81\xcc\x81tude \xf0\x9f\x93\x81.mp3"};
	static const ResultInput inputs[] = {
		{"cap tures/it's $HOME & more.pcap", "pcap", "none", 900, UINT64_MAX - 1, 880,
			"garbage at byte 880 <b>"},
		{"-", NULL, NULL, 0, 0, -1, "cannot be opened: Permission denied"}};
	static const uint32_t streams[] = {4294967295u}, findings[] = {0};
	static const ResultPhase phases[] = {
		{"connect", INT64_MIN / 4, INT64_MAX / 2, 0, UINT32_MAX, "<b>|`\"$(x)"}};
	static ResultTransfer transfers[COUNT(names)];
	static FileActivity files[COUNT(names)];
	static ResultConnection connection;
	static ResultSession session;
	static Result r;

	for (size_t i = 0; i < COUNT(names); i++)
		files[i] = (FileActivity){.name = names[i],
			.share = i % 2 ? "" : "\\\\<b>server</b>\\c$",
			.size = UINT64_MAX - 1,
			.operations = UINT64_MAX - 1,
			.busy_ns = INT64_MAX};
	session = (ResultSession){.streams = streams,
		.stream_count = 1,
		.phases = phases,
		.phase_count = 1,
		.first_data_ns = RESULT_UNKNOWN_NS,
		.stats = {.protocol = "smb1",
			.dialect = "<b>",
			.credits_min = INT32_MIN,
			.counts = {.credits_left = INT32_MIN, .credits_max = INT32_MIN},
			.files = files,
			.file_count = COUNT(names)}};
	connection = slow_connection();
	connection.stream = streams[0];
	connection.application = "<b>";
	connection.initial_rtt_ns = connection.min_rtt_ns = RESULT_UNKNOWN_NS;
	memset(connection.client.addr, 0x20, 16);
	for (size_t i = 0; i < COUNT(names); i++) {
		static char ids[COUNT(names)][8];

		g_snprintf(ids[i], sizeof ids[i], "T%u", (unsigned)i + 1);
		transfers[i] = (ResultTransfer){.id = ids[i],
			.streams = streams,
			.stream_count = 1,
			.client = connection.client,
			.server = connection.server,
			.protocol = "smb1",
			.file = names[i],
			.share = i % 2 ? NULL : "\\\\<b>server</b>\\c$",
			.files = 1,
			.bytes = i ? i * 1000 : UINT64_MAX - 1,
			.start_ns = 0,
			.duration_ns = (i + 1) * S,
			.findings = findings,
			.finding_count = i == 0,
			.rtt_ns = RESULT_UNKNOWN_NS};
		budget_fill(&transfers[i], BUCKET_LOSS_RECOVERY);
	}
	r = (Result){.inputs = inputs,
		.input_count = 2,
		.capture = {.first_packet_ns = -1,
			.duration_ns = INT64_MAX,
			.packets = UINT64_MAX - 1,
			.bytes = UINT64_MAX - 1,
			.captured_bytes = 1,
			.link_types = ethernet,
			.link_type_count = 1,
			.dropped_packets = INT64_MAX,
			.grade = 'D'},
		.verdict = {.cause = "loss-random",
			.finding = 0,
			.transfer = 0,
			.confidence = CONFIDENCE_LOW,
			.blame = "NETWORK",
			.sentence = hostile_findings[0].sentence,
			.measured_bytes_per_s = 1e18,
			.saved_ns = {RESULT_UNKNOWN_NS, RESULT_UNKNOWN_NS}},
		.connections = &connection,
		.connection_count = 1,
		.sessions = &session,
		.session_count = 1,
		.transfers = transfers,
		.transfer_count = COUNT(names),
		.findings = hostile_findings,
		.finding_count = 1,
		.is_partial = true,
		.internal_errors = 1};
	return &r;
}

const Result *sample_result(const char *name)
{
	if (strcmp(name, "slow-read") == 0)
		return sample_slow_read();
	if (strcmp(name, "healthy") == 0)
		return sample_healthy();
	if (strcmp(name, "ftp-job") == 0)
		return sample_ftp_job();
	if (strcmp(name, "empty") == 0)
		return sample_empty();
	if (strcmp(name, "hostile") == 0)
		return sample_hostile();
	return NULL;
}
