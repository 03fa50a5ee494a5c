/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_pcapng.c and evidence_frame.c: what an evidence file shows and what it must not, on
 * captures written here, and what tshark thinks of it.
 */
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "reports/evidence_frame.h"
#include "reports/report.h"
#include "tests/tools/capgen.h"

#define SECRET "TOPSECRETcontentofthefile"

static char *folder, *capture, *evidence;

static void begin(void)
{
	folder = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
	capture = g_build_filename(folder, "zebra.pcap", NULL);
	evidence = g_build_filename(folder, "out.evidence.pcapng", NULL);
}

static void end(void)
{
	g_remove(capture);
	g_remove(evidence);
	g_rmdir(folder);
	g_free(capture);
	g_free(evidence);
	g_free(folder);
}

TestSuite(pcapng, .init = begin, .fini = end, .timeout = 60);

/** smb2: a NetBIOS header, an SMB2 header of @command and a body of @body_len bytes that ends with
 * the secret. Returns its length. */
static uint32_t smb2(uint8_t *p, unsigned command, bool is_reply, uint32_t body_len)
{
	uint32_t len = 64 + body_len;

	memset(p, 0, 4 + len);
	p[2] = (uint8_t)(len >> 8);
	p[3] = (uint8_t)len;
	memcpy(p + 4, "\xfeSMB\x40", 5);
	p[4 + 12] = (uint8_t)command;
	p[4 + 16] = is_reply;
	memset(p + 4 + 48, 0xaa, 16); /* signature */
	p[4 + 64] = is_reply ? 17 : 49;
	memcpy(p + 4 + len - strlen(SECRET), SECRET, strlen(SECRET));
	return 4 + len;
}

/** write_capture: a handshake, an SMB2 READ and its answer, an FTP line, a name query over UDP.
 * Returns the number of frames. */
static uint64_t write_capture(const char *client, const char *server)
{
	FILE *file = fopen(capture, "wb");
	Capgen *capgen = capgen_new(file, 65535);
	CapgenTcp smb = capgen_tcp(capgen, client, 40000, server, 445);
	CapgenTcp ftp = capgen_tcp(capgen, client, 40001, server, 21);
	static uint8_t message[9000];
	int64_t t = capgen_tcp_open(&smb, 0, 10 * CAPGEN_MS);
	uint64_t count;
	uint32_t len = smb2(message, 8, false, 100);

	t = capgen_tcp_send(&smb, t + CAPGEN_MS, CAPGEN_CLIENT, message, len, CAPGEN_US);
	len = smb2(message, 8, true, 4000);
	t = capgen_tcp_send(&smb, t + 10 * CAPGEN_MS, CAPGEN_SERVER, message, len, CAPGEN_US);
	capgen_tcp_ack(&smb, t + CAPGEN_MS, CAPGEN_CLIENT);
	t = capgen_tcp_open(&ftp, t + CAPGEN_S, 10 * CAPGEN_MS);
	t = capgen_tcp_text(&ftp, t, CAPGEN_SERVER, "220 zebrahost ready\r\n");
	t = capgen_tcp_text(&ftp, t, CAPGEN_CLIENT, "USER zoe\r\n");
	capgen_tcp_text(&ftp, t, CAPGEN_CLIENT, "RETR " SECRET "\r\n");
	count = capgen_count(capgen);
	capgen_free(capgen);
	fclose(file);
	return count;
}

/** make_evidence: an evidence file in which every frame of the capture proves the same finding. */
static void make_evidence(uint64_t frames, bool redact, GError **error, bool *ret_ok)
{
	const char *paths[] = {capture};
	g_autoptr(Reader) reader = reader_open(paths, 1, &(ReaderOptions){0}, NULL);
	g_autofree ResultEvidence *list = g_new0(ResultEvidence, frames);
	ResultInput input = {.path = capture, .packets = frames, .damaged_at = -1};
	Packet batch[READER_BATCH];
	ResultConnection connection = {.protocol = "smb2"};
	ResultFinding finding = {.id = "F1",
		.cause = "smb-serial-requests",
		.title = "One request at a time",
		.transfer = -1,
		.evidence = list,
		.evidence_count = frames};
	Result result = {.inputs = &input,
		.input_count = 1,
		.connections = &connection,
		.connection_count = 1,
		.verdict = {.finding = 0, .transfer = -1},
		.findings = &finding,
		.finding_count = 1};
	ReportOptions options = {.redact = redact,
		.reader = reader,
		.version = "0.1.0",
		.command_line = "slowcopy analyze -o out"};

	cr_assert_eq(reader_next_batch(reader, batch) > 0, true);
	memcpy(connection.client.addr, batch[0].src, 16);
	memcpy(connection.server.addr, batch[0].dst, 16);
	connection.client.port = 40000;
	connection.server.port = 445;
	for (uint64_t i = 0; i < frames; i++)
		list[i] = (ResultEvidence){.frame = i + 1, .note = "read"};
	cr_assert(report_can_read_again(&options));
	*ret_ok =
		report_write_file(report_format_find("pcapng"), &result, &options, evidence, error);
}

/** evidence_bytes: the evidence file of a capture between two hosts. */
static GBytes *evidence_bytes(const char *client, const char *server, bool redact)
{
	g_autoptr(GError) error = NULL;
	char *data = NULL;
	gsize len = 0;
	bool ok;

	make_evidence(write_capture(client, server), redact, &error, &ok);
	cr_assert(ok, "%s", error ? error->message : "");
	cr_assert(g_file_get_contents(evidence, &data, &len, NULL));
	return g_bytes_new_take(data, len);
}

static bool holds(GBytes *bytes, const void *needle, size_t len)
{
	return memmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), needle, len) != NULL;
}

Test(pcapng, no_content_and_no_names)
{
	static const uint8_t addresses[][4] = {{10, 77, 88, 99}, {10, 77, 88, 98}};
	g_autoptr(GBytes) bytes = evidence_bytes("10.77.88.99", "10.77.88.98", true);

	for (size_t i = 0; i < G_N_ELEMENTS(addresses); i++)
		cr_assert_not(holds(bytes, addresses[i], 4), "address %zu", i);
	cr_assert_not(holds(bytes, "TOPSECRET", 9));
	cr_assert_not(holds(bytes, "zebra", 5));
	cr_assert_not(holds(bytes, "zoe", 3));
	cr_assert_not(holds(bytes, "10.77", 5));
	cr_assert_not(holds(bytes, "\xaa\xaa\xaa\xaa", 4), "a signature of other bytes");
	cr_assert(holds(bytes, "client-1", 8));
	cr_assert(holds(bytes, "RETR", 4));
	cr_assert(holds(bytes, "\xfeSMB", 4));
	cr_assert(holds(bytes, "smb-serial-requests", 19));
	cr_assert(holds(bytes, "SHA-256", 7));
}

Test(pcapng, real_addresses_only_on_request)
{
	static const uint8_t address[] = {10, 77, 88, 99};
	g_autoptr(GBytes) bytes = evidence_bytes("10.77.88.99", "10.77.88.98", false);

	cr_assert(holds(bytes, address, 4));
	cr_assert(holds(bytes, "zebra.pcap", 10));
	cr_assert(holds(bytes, "Not redacted", 12));
	cr_assert_not(holds(bytes, "TOPSECRET", 9));
	cr_assert_not(holds(bytes, "zoe", 3));
}

Test(pcapng, the_same_bytes_twice)
{
	g_autoptr(GBytes) a = evidence_bytes("fd00::1", "fd00::2", true);
	g_autoptr(GBytes) b = evidence_bytes("fd00::1", "fd00::2", true);

	cr_assert(g_bytes_equal(a, b));
}

/** run: output and errors of a command line, or NULL when there is no such program. */
static char *run(const char *line, char **ret_errors)
{
	g_auto(GStrv) argv = NULL;
	char *out = NULL;
	int status;

	cr_assert(g_shell_parse_argv(line, NULL, &argv, NULL));
	if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, ret_errors,
		    &status, NULL))
		return NULL;
	cr_assert_eq(status, 0, "%s: %s", line, *ret_errors);
	return out;
}

/** tshark: fields of the evidence file, the root user's warning taken off its errors. */
static char *tshark(const char *arguments)
{
	g_autofree char *line = g_strdup_printf("tshark -n -r %s %s", evidence, arguments);
	g_autofree char *errors = NULL;
	char *out = run(line, &errors);

	if (!out)
		cr_skip("tshark is not installed");
	if (g_str_has_prefix(errors, "Running as user"))
		memmove(errors, strchr(errors, '\n') + 1, strlen(strchr(errors, '\n') + 1) + 1);
	cr_assert_str_eq(errors, "", "%s: %s", line, errors);
	return out;
}

static void check_with_tshark(const char *client, const char *server)
{
	g_autoptr(GBytes) bytes = evidence_bytes(client, server, true);
	g_autofree char *bad = tshark("-o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -Y "
				      "'tcp.checksum.status == 0 || ip.checksum.status == 0 || "
				      "_ws.malformed'");
	g_autofree char *good = tshark("-o tcp.check_checksum:TRUE -Y 'tcp.checksum.status == 1'");
	g_autofree char *read = tshark("-Y 'smb2.cmd == 8' -T fields -e frame.number");
	g_autofree char *line =
		tshark("-Y 'ftp.request.command == RETR' -T fields -e frame.comment");
	g_autofree char *scale = tshark("-Y 'tcp.window_size_scalefactor == 128' -T fields -e "
					"tcp.stream");

	cr_assert_str_eq(bad, "", "%s", bad);
	cr_assert(strlen(good) > 100, "%s", good);
	cr_assert(strchr(read, '\n') && strchr(strchr(read, '\n') + 1, '\n'), "%s", read);
	cr_assert(strstr(line, "F1 smb-serial-requests"), "%s", line);
	cr_assert(strlen(scale) > 0, "the handshake's options are lost");
}

Test(pcapng, tshark_reads_it_without_a_word_ipv4)
{
	check_with_tshark("10.77.88.99", "10.77.88.98");
}

Test(pcapng, tshark_reads_it_without_a_word_ipv6)
{
	check_with_tshark("fd00:1::1", "fd00:1::2");
}

/* Byte for byte, as sixteen digits a group, so that a difference can be read. */
Test(pcapng, golden)
{
	static const char *const path = "tests/golden/reports/evidence.pcapng.hex";
	g_autoptr(GBytes) bytes = evidence_bytes("10.77.88.99", "10.77.88.98", true);
	const uint8_t *data = g_bytes_get_data(bytes, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *want = NULL;

	for (size_t i = 0; i < g_bytes_get_size(bytes); i++) {
		/* most of it is payload that was made zero */
		if (i % 32 == 0 && i + 32 <= g_bytes_get_size(bytes) && data[i] == 0 &&
			memcmp(data + i, data + i + 1, 31) == 0) {
			g_string_append(text, "00*\n");
			i += 31;
			continue;
		}
		g_string_append_printf(text, "%02x%s", data[i],
			i % 32 == 31 ? "\n"
			: i % 8 == 7 ? " "
				     : "");
	}
	g_string_append_c(text, '\n');
	if (g_getenv("SLOWCOPY_GOLDEN_UPDATE")) {
		cr_assert(g_file_set_contents(path, text->str, -1, NULL));
		return;
	}
	cr_assert(g_file_get_contents(path, &want, NULL, NULL), "%s is missing", path);
	cr_assert_str_eq(text->str, want, "%s differs", path);
}

Test(pcapng, capinfos)
{
	g_autoptr(GBytes) bytes = evidence_bytes("10.77.88.99", "10.77.88.98", true);
	g_autofree char *line = g_strdup_printf("capinfos %s", evidence);
	g_autofree char *errors = NULL;
	g_autofree char *out = run(line, &errors);

	if (!out)
		cr_skip("capinfos is not installed");
	cr_assert_str_eq(errors, "", "%s", errors);
	cr_assert(strstr(out, "slowcopy 0.1.0"), "%s", out);
}

Test(pcapng, standard_input_cannot_be_read_again)
{
	g_autoptr(GError) error = NULL;

	cr_assert_not(report_write_file(
		report_format_find("pcapng"), &(Result){0}, &(ReportOptions){0}, evidence, &error));
	cr_assert(strstr(error->message, "standard input"), "%s", error->message);
	cr_assert_not(g_file_test(evidence, G_FILE_TEST_EXISTS));
}

/* every length of messages of every kind: nothing but headers is kept, nothing beyond them is read
 */
Test(evidence_frame, payload_of_any_length)
{
	static const char *const kinds[] = {"\xfeSMB", "\xffSMB", "\xfdSMB", "RETR x\r\n", "junk"};

	for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
		for (size_t len = 0; len < 300; len++) {
			g_autofree uint8_t *payload = g_malloc0(len + (len == 0));
			g_autofree uint8_t *ret = g_malloc(len + 1);
			Packet packet = {.kind = PACKET_TCP,
				.dst_port = kind == 3 ? 21 : 445,
				.payload = payload,
				.payload_len = (uint32_t)len,
				.payload_caplen = (uint32_t)len};
			size_t at = kind == 3 ? 0 : 4, kept;

			memset(payload, 0x5a, len);
			if (len > 4)
				payload[0] = kind == 3 ? 'R' : 0;
			for (size_t i = 0; kinds[kind][i] && at + i < len; i++)
				payload[at + i] = (uint8_t)kinds[kind][i];
			if (len > 16)
				payload[4 + 12] = (uint8_t)(len % 25);
			if (len > 17)
				payload[4 + 13] = 0;
			kept = evidence_frame_kept(&packet, ret, len);
			cr_assert(kept <= len && kept <= 4 + 64 + 600, "%zu %zu", kind, len);
			cr_assert(kind != 4 || kept == 0);
			for (size_t i = kept; i < len; i++)
				cr_assert(ret[i] == 0 || kind == 3, "%zu: byte %zu of %zu", kind, i,
					len);
		}
	}
}
