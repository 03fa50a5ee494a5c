/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures of real encrypted sessions, read with their key, say what their unencrypted twin says.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/analysis.h"
#include "analyzer/session/smb_decrypt.h"

#define FOLDER "testdata/protocols/"

static Result *analyze(const char *name, bool with_key)
{
	static Packet batch[READER_BATCH];
	g_autofree char *path = g_strdup_printf(FOLDER "%s/capture.pcap.gz", name);
	g_autofree char *key_path = g_strdup_printf(FOLDER "%s/key", name);
	g_autofree char *text = NULL;
	const char *paths[] = {path};
	SmbKeyring *ring = NULL;
	SmbKey key;
	Result *result;
	size_t count;

	if (with_key) {
		cr_assert(g_file_get_contents(key_path, &text, NULL, NULL), "%s", key_path);
		cr_assert(smb_key_parse(g_strstrip(text), &key), "%s", text);
		ring = smb_keyring_new(&key, 1);
	}
	{
		g_autoptr(Reader) reader = reader_open(paths, 1, &(ReaderOptions){0}, NULL);
		g_autoptr(Analysis) analysis = analysis_new(&(AnalysisOptions){.smb_keys = ring});
		cr_assert_not_null(reader, "%s", path);
		while ((count = reader_next_batch(reader, batch)) > 0)
			analysis_feed(analysis, batch, count);
		result = analysis_finish(analysis, reader);
	}
	smb_keyring_free(ring);
	return result;
}

static const ResultTransfer *transfer_of(const Result *result, const char *file)
{
	for (size_t i = 0; i < result->transfer_count; i++)
		if (result->transfers[i].file && strcmp(result->transfers[i].file, file) == 0)
			return &result->transfers[i];
	return NULL;
}

static uint64_t requests_of(const Result *result, const char *command)
{
	const SessionStats *stats = &result->sessions[0].stats;

	for (size_t i = 0; i < stats->command_count; i++)
		if (strcmp(message_command_name(
				   stats->commands[i].protocol, stats->commands[i].command),
			    command) == 0)
			return stats->commands[i].requests;
	return 0;
}

static void expect_twins(const Result *secret, const Result *plain, const char *name)
{
	static const char *const files[] = {"a.bin", "c.bin", "b.txt"};
	static const char *const commands[] = {"session-setup", "tree-connect", "create", "close",
		"read", "write", "query-directory", "query-info"};

	cr_assert_eq(secret->session_count, 1, "%s", name);
	cr_assert_eq(plain->session_count, 1);
	cr_expect(secret->sessions[0].stats.is_encrypted, "%s", name);
	cr_expect_eq(secret->sessions[0].stats.anomalies, 0, "%s", name);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		cr_expect_eq(requests_of(secret, commands[i]), requests_of(plain, commands[i]),
			"%s: %s", name, commands[i]);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const ResultTransfer *a = transfer_of(secret, files[i]);
		const ResultTransfer *b = transfer_of(plain, files[i]);
		cr_assert_not_null(b, "%s", files[i]);
		cr_assert_not_null(a, "%s: %s", name, files[i]);
		cr_expect_eq(a->bytes, b->bytes, "%s: %s", name, files[i]);
		cr_expect_eq(a->requests, b->requests, "%s: %s", name, files[i]);
		cr_expect_eq(a->is_write, b->is_write, "%s: %s", name, files[i]);
		cr_expect_eq(a->request_bytes_max, b->request_bytes_max, "%s: %s", name, files[i]);
		cr_expect_str_eq(a->share, b->share, "%s: %s", name, files[i]);
	}
}

Test(smb_twins, a_key_gives_the_report_of_the_unencrypted_twin)
{
	static const struct {
		const char *name, *dialect;
		uint16_t cipher;
	} rows[] = {
		{"smb3-aes-128-gcm", "3.1.1", SMB_AES_128_GCM},
		{"smb3-aes-128-ccm", "3.0.2", SMB_AES_128_CCM},
	};

	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	if (!g_file_test(FOLDER, G_FILE_TEST_IS_DIR))
		cr_skip("no " FOLDER " below the current folder");
	g_autoptr(Result) plain = analyze("smb3-plain-twin", false);
	cr_assert_not_null(transfer_of(plain, "a.bin"));
	cr_expect_eq(transfer_of(plain, "a.bin")->bytes, 60000);
	cr_expect_eq(transfer_of(plain, "c.bin")->is_write, true);
	cr_expect_eq(transfer_of(plain, "b.txt")->bytes, 3);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		g_autoptr(Result) secret = analyze(rows[i].name, true);
		g_autoptr(Result) closed = analyze(rows[i].name, false);
		expect_twins(secret, plain, rows[i].name);
		cr_expect_str_eq(secret->sessions[0].stats.dialect, rows[i].dialect);
		cr_expect_eq(secret->sessions[0].stats.cipher, rows[i].cipher);
		cr_expect_null(transfer_of(closed, "a.bin"), "names stay hidden without the key");
	}
}
