/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FTP control connection: lines into messages.
 */
#include "dissectors/proto_ftp.h"

#include <string.h>

#include "dissectors/cursor.h"
#include "dissectors/ftp_line.h"

/* TLS record: type, version, length; RFC 8446 5.1, ciphertext at most 2^14 + 2048 by RFC 5246
 * 6.2.3 */
#define TLS_HEADER_LEN 5
#define TLS_TYPE_FIRST 20
#define TLS_TYPE_LAST 24
#define TLS_MAX_LENGTH (16384 + 2048)

static size_t line_length(const uint8_t *data, size_t len)
{
	const uint8_t *end = len > 0 ? memchr(data, '\n', len) : NULL;
	return end ? (size_t)(end - data) + 1 : 0;
}

static Probe probe_client(const uint8_t *data, size_t len)
{
	FtpCommandLine line;
	size_t first = line_length(data, len);
	switch (ftp_command_parse(data, first > 0 ? first : len, &line)) {
	case PARSE_OK:
		break;
	case PARSE_SHORT:
	case PARSE_BAD:
	case PARSE_UNKNOWN:
		return PROBE_NO;
	}
	/* other protocols that know AUTH name a SASL mechanism, others with MODE READER news */
	if (line.command == FTP_AUTH &&
		!ftp_text_contains(line.argument, line.argument_len, "tls") &&
		!ftp_text_contains(line.argument, line.argument_len, "ssl") &&
		!ftp_text_contains(line.argument, line.argument_len, "gss"))
		return PROBE_NO;
	if (line.command == FTP_MODE && line.argument_len != 1)
		return PROBE_NO;
	/* a file may begin with such a line: only the server's answer, or the port, makes sure */
	return PROBE_MAYBE;
}

static Probe probe_server(const uint8_t *data, size_t len)
{
	FtpReplyLine line;
	size_t first = line_length(data, len);
	if (ftp_reply_parse(data, first > 0 ? first : len, &line) != PARSE_OK)
		return PROBE_NO;
	FtpEndpoint endpoint;
	switch (line.code) {
	case 120:
	case 220:
		if (ftp_text_contains(line.text, line.text_len, "ftp"))
			return PROBE_YES;
		return ftp_text_contains(line.text, line.text_len, "smtp") ? PROBE_NO : PROBE_MAYBE;
	case 227:
		return ftp_endpoint_pasv(line.text, line.text_len, &endpoint) ? PROBE_YES
									      : PROBE_NO;
	case 229:
		return ftp_endpoint_epsv(line.text, line.text_len, &endpoint) ? PROBE_YES
									      : PROBE_NO;
	case 125:
	case 150:
	case 213:
	case 221:
	case 225:
	case 226:
	case 230:
	case 234:
	case 250:
	case 257:
	case 331:
	case 350:
	case 421:
	case 425:
	case 426:
	case 500:
	case 530:
	case 550:
		return PROBE_MAYBE;
	default:
		/* "200" greets in NNTP and never begins an FTP connection */
		return PROBE_NO;
	}
}

static Probe ftp_probe(const uint8_t *data, size_t len, bool from_client)
{
	return from_client ? probe_client(data, len) : probe_server(data, len);
}

static bool is_tls(const uint8_t *data, size_t len)
{
	return len >= 2 && data[0] >= TLS_TYPE_FIRST && data[0] <= TLS_TYPE_LAST && data[1] == 3;
}

/* Ciphertext that is no record (framing was lost) is taken as it comes: nothing is read in it. */
static ParseStatus frame_tls(const uint8_t *data, size_t len, Extent *ret)
{
	Cursor c = cursor_over(data, len);
	uint64_t total = len;
	if (is_tls(data, len)) {
		cursor_skip(&c, 3);
		uint16_t length = cursor_be16(&c);
		if (c.bad)
			return PARSE_SHORT;
		if (length <= TLS_MAX_LENGTH)
			total = TLS_HEADER_LEN + (uint64_t)length;
	}
	*ret = (Extent){.total = total, .want = 1, .is_message = true};
	return PARSE_OK;
}

static ParseStatus ftp_frame(
	DissectorState *state, const uint8_t *data, size_t len, bool from_client, Extent *ret)
{
	if (len == 0)
		return PARSE_SHORT;
	if (state->opaque)
		return frame_tls(data, len, ret);
	if (is_tls(data, len) && !state->overlong[from_client]) {
		state->opaque = true;
		return frame_tls(data, len, ret);
	}
	if (len > PROTOCOL_MAX_STAGED)
		len = PROTOCOL_MAX_STAGED;
	size_t total = line_length(data, len);
	if (total == 0) {
		if (len < PROTOCOL_MAX_STAGED)
			return PARSE_SHORT;
		total = len;
	}
	*ret = (Extent){.total = total, .want = (uint32_t)total, .is_message = true};
	return PARSE_OK;
}

static StatusClass reply_class(const FtpReplyLine *line)
{
	if (line->code < 200)
		return STATUS_CLASS_PENDING;
	if (line->code < 300)
		return STATUS_CLASS_OK;
	if (line->code < 400)
		return STATUS_CLASS_MORE;
	switch (line->code) {
	case 530:
	case 532:
	case 534:
		return STATUS_CLASS_DENIED;
	case 450:
		return STATUS_CLASS_LOCKED;
	case 550:
		/* one code for "not there" and "not allowed": only the text tells */
		if (ftp_text_contains(line->text, line->text_len, "no such") ||
			ftp_text_contains(line->text, line->text_len, "not found"))
			return STATUS_CLASS_NOT_FOUND;
		if (ftp_text_contains(line->text, line->text_len, "denied"))
			return STATUS_CLASS_DENIED;
		return STATUS_CLASS_ERROR;
	default:
		return STATUS_CLASS_ERROR;
	}
}

static void set_endpoint(Message *message, const FtpEndpoint *endpoint)
{
	memcpy(message->endpoint, endpoint->addr, sizeof message->endpoint);
	message->endpoint_port = endpoint->port;
}

static void anomaly(MessageSink *sink, const char *kind)
{
	if (sink->anomaly)
		sink->anomaly(sink->user, kind);
}

static void decode_command(
	DissectorState *state, const uint8_t *data, size_t len, bool is_cut, MessageSink *sink)
{
	FtpCommandLine line;
	ParseStatus status = ftp_command_parse(data, len, &line);
	if (status == PARSE_BAD) {
		anomaly(sink, "ftp-command");
		return;
	}
	Message message = {
		.kind = MESSAGE_REQUEST,
		.protocol = MESSAGE_FTP,
		.verb = line.verb,
		.command = (uint16_t)line.command,
		.flags = MESSAGE_FROM_CLIENT | MESSAGE_LAST | (is_cut ? MESSAGE_TRUNCATED : 0),
		.name = line.argument,
		.name_len = line.argument_len,
		.count = 1,
	};
	FtpEndpoint endpoint;
	/* of a line that the snap length cut the last digit may be missing */
	if (!is_cut && line.command == FTP_PORT &&
		ftp_endpoint_port(line.argument, line.argument_len, &endpoint))
		set_endpoint(&message, &endpoint);
	if (!is_cut && line.command == FTP_EPRT &&
		ftp_endpoint_eprt(line.argument, line.argument_len, &endpoint))
		set_endpoint(&message, &endpoint);
	if (!is_cut && line.command == FTP_LPRT &&
		ftp_endpoint_lprt(line.argument, line.argument_len, &endpoint))
		set_endpoint(&message, &endpoint);
	if (line.command == FTP_REST || line.command == FTP_ALLO) {
		uint64_t number;
		if (ftp_number(line.argument, line.argument_len, &number))
			message.length = number;
	}
	state->last_command[1] = (uint16_t)line.command;
	sink->message(sink->user, &message);
}

/* where the server waits for the data connection */
static void reply_endpoint(const FtpReplyLine *line, Message *message)
{
	FtpEndpoint endpoint;
	if ((line->code == 227 && ftp_endpoint_pasv(line->text, line->text_len, &endpoint)) ||
		(line->code == 229 && ftp_endpoint_epsv(line->text, line->text_len, &endpoint)) ||
		(line->code == 228 && ftp_endpoint_lprt(line->text, line->text_len, &endpoint)))
		set_endpoint(message, &endpoint);
}

static void decode_reply(
	DissectorState *state, const uint8_t *data, size_t len, bool is_cut, MessageSink *sink)
{
	FtpReplyLine line;
	ParseStatus status = ftp_reply_parse(data, len, &line);
	if (state->reply_code != 0) {
		/* RFC 959 4.2: a long reply ends with its code and a blank; lines between may be
		 * anything */
		if (status != PARSE_OK || line.more || line.code != state->reply_code)
			return;
		state->reply_code = 0;
	} else if (status != PARSE_OK) {
		anomaly(sink, "ftp-reply");
		return;
	} else if (line.more) {
		state->reply_code = line.code;
		return;
	}
	/* nothing was asked yet: 220 greets, 120 asks to wait for the greeting, 421 refuses */
	bool is_greeting = state->last_command[1] == FTP_UNKNOWN &&
			   (line.code == 120 || line.code == 220 || line.code == 421);
	Message message = {
		.kind = is_greeting       ? MESSAGE_NOTICE
			: line.code < 200 ? MESSAGE_INTERIM
					  : MESSAGE_REPLY,
		.protocol = MESSAGE_FTP,
		.verb = is_greeting ? VERB_LOGIN : VERB_OTHER,
		.reply_code = line.code,
		.status = line.code,
		.status_class = reply_class(&line),
		.flags = MESSAGE_LAST | (is_cut ? MESSAGE_TRUNCATED : 0),
		.count = 1,
	};
	uint64_t number;
	/* of a line that the snap length cut the last digit may be missing */
	bool has_end = !is_cut || (line.text_len > 0 && memchr(line.text, ')', line.text_len));
	if (has_end)
		reply_endpoint(&line, &message);
	if (line.code == 213 && ftp_number(line.text, line.text_len, &number))
		message.length = number;
	else if ((line.code == 150 || line.code == 125) &&
		 ftp_text_bytes(line.text, line.text_len, &number))
		message.length = number;
	if (line.code == 234)
		state->opaque = true;
	sink->message(sink->user, &message);
}

static void decode_opaque(const Extent *extent, bool from_client, MessageSink *sink)
{
	Message message = {
		.kind = MESSAGE_OPAQUE,
		.protocol = MESSAGE_FTP,
		.flags = MESSAGE_ENCRYPTED | MESSAGE_LAST | (from_client ? MESSAGE_FROM_CLIENT : 0),
		.opaque_length =
			extent->total > TLS_HEADER_LEN ? extent->total - TLS_HEADER_LEN : 0,
		.count = 1,
	};
	sink->message(sink->user, &message);
}

static void ftp_decode(DissectorState *state, const uint8_t *data, size_t len, const Extent *extent,
	bool from_client, MessageSink *sink)
{
	if (state->opaque) {
		decode_opaque(extent, from_client, sink);
		return;
	}
	bool is_whole = len > 0 && data[len - 1] == '\n';
	bool is_rest = state->overlong[from_client];
	state->overlong[from_client] = !is_whole && extent->total >= PROTOCOL_MAX_STAGED;
	if (is_rest)
		return;
	if (state->overlong[from_client])
		anomaly(sink, "ftp-line-length");
	/* an empty line is no command and no error: some clients send CR LF twice */
	size_t visible = 0;
	while (visible < len && (data[visible] == '\r' || data[visible] == '\n'))
		visible++;
	if (visible == len)
		return;
	if (from_client)
		decode_command(state, data, len, !is_whole, sink);
	else
		decode_reply(state, data, len, !is_whole, sink);
}

static bool is_line_start(const uint8_t *data, size_t len, bool from_client)
{
	if (!from_client) {
		FtpReplyLine line;
		return len >= 4 && ftp_reply_parse(data, len, &line) == PARSE_OK;
	}
	FtpCommandLine line;
	size_t first = line_length(data, len);
	return ftp_command_parse(data, first > 0 ? first : len, &line) == PARSE_OK;
}

static long ftp_resync(const uint8_t *data, size_t len, bool from_client)
{
	size_t at = 0;
	while (at < len) {
		if (is_line_start(data + at, len - at, from_client))
			return (long)at;
		size_t skip = line_length(data + at, len - at);
		if (skip == 0)
			break;
		at += skip;
	}
	return -1;
}

const Protocol protocol_ftp = {
	.id = "ftp",
	.title = "FTP control connection",
	.ports = {21, 0},
	.is_text = true,
	.probe = ftp_probe,
	.frame = ftp_frame,
	.decode = ftp_decode,
	.resync = ftp_resync,
};
