/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An FTP control connection: NUL bytes part the input into segments of alternating sides, each on
 * its own heap block. The first byte chooses the side that begins.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_stats.h"
#include "dissectors/ftp_line.h"
#include "tests/tools/session_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void push(Session *session, Side side, const uint8_t *data, size_t len, int64_t *offset,
	int64_t now_ns)
{
	uint8_t *copy = malloc(len);
	if (!copy)
		abort();
	memcpy(copy, data, len);
	SessionChunk chunk = {.offset = *offset,
		.len = (uint32_t)len,
		.caplen = (uint32_t)len,
		.data = copy,
		.ts_ns = now_ns,
		.frame = (uint64_t)now_ns};
	session_push(session, side, &chunk);
	*offset += (int64_t)len;
	free(copy);
}

static void endpoints(const uint8_t *data, size_t size)
{
	FtpEndpoint endpoint;
	uint64_t number;
	(void)ftp_endpoint_port(data, size, &endpoint);
	(void)ftp_endpoint_eprt(data, size, &endpoint);
	(void)ftp_endpoint_pasv(data, size, &endpoint);
	(void)ftp_endpoint_epsv(data, size, &endpoint);
	(void)ftp_endpoint_lprt(data, size, &endpoint);
	(void)ftp_text_bytes(data, size, &number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	endpoints(data, size);
	SessionLog log = {.quiet = true};
	Session *session = session_new(&session_log_ops, &log, NULL, 21, 50000);
	int64_t offset[2] = {0, 0}, now_ns = 1;
	Side side = (Side)(data[0] & 1);
	for (size_t at = 1; at < size;) {
		const uint8_t *end = memchr(data + at, 0, size - at);
		size_t len = end ? (size_t)(end - data) - at : size - at;
		if (len > 0)
			push(session, side, data + at, len, &offset[side], now_ns++);
		side = (Side)!side;
		at += len + 1;
	}
	SessionStats stats;
	session_end(session, now_ns);
	(void)session_stats(session, &stats);
	session_free(session);
	if (log.error || log.open_count > 0 || log.requests != log.replies)
		abort();
	session_log_clear(&log);
	return 0;
}
