/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What commands and replies of FTP mean: answers come in order, PORT and PASV announce data
 * connections, a transfer command is one operation on one file until its final reply. RFC 959,
 * 2428, 4217.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/session/session_private.h"
#include "dissectors/ftp_line.h"

static OpClass class_of(MessageVerb verb)
{
	switch (verb) {
	case VERB_LOGIN:
		return OP_AUTH;
	case VERB_READ:
	case VERB_WRITE:
	case VERB_PREPARE:
		return OP_FTP;
	case VERB_LIST:
		return OP_DIR;
	case VERB_QUERY:
	case VERB_SET:
	case VERB_MODE:
		return OP_META;
	case VERB_OTHER:
	case VERB_NEGOTIATE:
	case VERB_LOGOFF:
	case VERB_CONNECT:
	case VERB_DISCONNECT:
	case VERB_OPEN:
	case VERB_CLOSE:
	case VERB_FLUSH:
	case VERB_LOCK:
	case VERB_NOTIFY:
	case VERB_COPY:
	case VERB_IOCTL:
	case VERB_ECHO:
	case VERB_CANCEL:
	case VERB_BREAK:
	case VERB_COUNT:
		break;
	}
	return OP_OTHER;
}

static bool verb_is_transfer(MessageVerb verb)
{
	return verb == VERB_READ || verb == VERB_WRITE || verb == VERB_LIST;
}

/* ---- data connections */

/* The whole connection is one message of the side that sends the file. */
static void data_turn(FtpData *data)
{
	const FileCell *file = data->file;
	if (!file || !file->has_verb)
		return;
	/* the server sends what is read and listed; it is the opener unless the client connects */
	bool server_sends = file->verb != VERB_WRITE;
	Side server = file->client_connects ? SIDE_SERVER : SIDE_CLIENT;
	Side sender = server_sends ? server : (Side)!server;
	data->session->turn.message_left[sender] = 1;
	data->session->turn.message_left[!sender] = 0;
}

static void data_turns(Session *control, const FileCell *file)
{
	for (FtpData *data = control->framed->ftp.data; data; data = data->next) {
		if (data->file == file)
			data_turn(data);
	}
}

/* ---- data connections of encrypted control connections */

/* The command was not seen: a file without a name has begun. */
static void hidden_begin(Session *control)
{
	FtpState *ftp = &control->framed->ftp;
	FileCell *file = ftp->next_file;
	ftp->next_file = NULL;
	file->is_hidden = true;
	file_announce(&control->framed->files, file);
	/* the data connection keeps it */
	file_release(file);
}

void session_ftp_data_done(Session *session, int64_t now_ns)
{
	FtpData *data = session->data;
	if (!data || !data->control || !data->file || !data->file->is_hidden)
		return;
	data->file->ref.is_dialogue = !data->is_past_handshake;
	file_close(&data->control->framed->files, data->file, now_ns);
}

Session *session_new_ftp_data(const SessionOps *ops, void *user, Session *control, FileRef *file)
{
	Session *session = session_new_with(control->protocols, ops, user, NULL, 0, 0);
	FtpData *data = calloc(1, sizeof *data);
	if (!session || !data) {
		free(data);
		free(session);
		return NULL;
	}
	session->mode = SESSION_FTP_DATA;
	session->turn = (Turn){.is_framed = true};
	session->data = data;
	data->session = session;
	if (control->is_ended || control->mode != SESSION_FRAMED ||
		control->framed->kind != &session_kind_ftp)
		return session;
	FtpState *ftp = &control->framed->ftp;
	data->control = control;
	data->next = ftp->data;
	if (ftp->data)
		ftp->data->prev = data;
	ftp->data = data;
	if (file) {
		data->file = file_hold((FileCell *)file);
		if (ftp->next_file == data->file && !data->file->has_verb && ftp->is_tls)
			hidden_begin(control);
		data_turn(data);
	}
	return session;
}

/* Whoever sends so much without being answered sends the file; chains of certificates are shorter.
 */
#define TLS_HANDSHAKE_MAX 8192

/* RFC 4217 7: each data connection has a handshake of its own, which is a dialogue. */
static bool is_handshake(FtpData *data, Side side, const SessionChunk *chunk)
{
	bool is_private = data->file &&
			  (data->file->is_hidden ||
				  (data->control && data->control->framed->ftp.data_is_private));
	if (!is_private || data->is_past_handshake)
		return false;
	if (data->last_side != side)
		data->run_bytes = 0;
	data->last_side = (uint8_t)side;
	data->run_bytes += chunk->len;
	data->is_past_handshake = data->run_bytes > TLS_HANDSHAKE_MAX;
	return !data->is_past_handshake;
}

void ftp_data_push(Session *session, Side side, const SessionChunk *chunk)
{
	FtpData *data = session->data;
	if (is_handshake(data, side, chunk)) {
		probe_generic_push(session, side, chunk);
		session->turn.is_setup = true;
		return;
	}
	session->turn.outstanding = 0;
	session->turn.is_setup = false;
	if (data->file && data->file->has_verb) {
		/* the command was seen */
		data_turn(data);
		return;
	}
	/* it was not (yet): whoever sends is the sender */
	session->turn.message_left[side] = 1;
	session->turn.message_left[!side] = 0;
}

void ftp_data_end(Session *session, int64_t now_ns)
{
	FtpData *data = session->data;
	session_ftp_data_done(session, now_ns);
	file_release(data->file);
	data->file = NULL;
	if (!data->control)
		return;
	if (data->prev)
		data->prev->next = data->next;
	else
		data->control->framed->ftp.data = data->next;
	if (data->next)
		data->next->prev = data->prev;
	data->control = NULL;
}

/* ---- announcements */

static FileCell *prepare_file(Session *session, int64_t first_ns, uint64_t frame)
{
	FtpState *ftp = &session->framed->ftp;
	if (ftp->next_file)
		return ftp->next_file;
	FileCell *file = file_new(NULL, NULL);
	if (!file)
		return NULL;
	file->ref.opened_ns = first_ns;
	file->ref.opened_frame = frame;
	file->ref.open_seen = true;
	ftp->next_file = file;
	return file;
}

/* Where @message says that a data connection will be accepted. Of a line that the snap length cut
 * only the hosts are known: port 0 stands for any. */
static void announce(Session *session, const Message *message, bool client_connects)
{
	static const uint8_t peer[16];
	const uint8_t *addr = message->endpoint;
	uint16_t port = message->endpoint_port;
	FileCell *file = session->framed->ftp.next_file;
	if (!file || (port == 0 && !(message->flags & MESSAGE_TRUNCATED)))
		return;
	file->client_connects = client_connects;
	file_announce(&session->framed->files, file);
	if (!session->ops->ftp_data)
		return;
	/* A translator may have changed the address on the way, or may have left a private one
	 * inside: the peer's own is as likely as the one given. */
	session->ops->ftp_data(session->user, peer, port, client_connects, &file->ref);
	if (memcmp(addr, peer, sizeof peer) != 0)
		session->ops->ftp_data(session->user, addr, port, client_connects, &file->ref);
}

/* ---- commands */

static void begin_transfer(
	Session *session, Request *request, const StreamMessage *m, const Message *message)
{
	SessionFramed *framed = session->framed;
	FtpState *ftp = &framed->ftp;
	FileCell *file = prepare_file(session, m->first_ns, m->first_frame);
	request->op.offset = ftp->rest;
	ftp->rest = 0;
	if (!file)
		return;
	ftp->next_file = NULL;
	file->has_verb = true;
	file->verb = (uint8_t)message->verb;
	file->ref.is_directory = message->verb == VERB_LIST;
	file->ref.is_ascii = !ftp->is_binary && message->verb != VERB_LIST;
	ftp->any_ascii |= file->ref.is_ascii;
	char name[NAMES_MAX_LENGTH + 16];
	exchange_name(message, name, sizeof name);
	if (ftp->sized_name && strcmp(ftp->sized_name, name) == 0 && message->verb == VERB_READ)
		file->ref.size = ftp->size;
	/* one line: it mostly comes in one segment */
	file->ref.asked_ns = m->first_ns;
	file_set_name(&framed->files, file, name);
	file_announce(&framed->files, file);
	exchange_set_file(request, file);
	file_release(file);
	data_turns(session, file);
}

static void note_size_query(FtpState *ftp, const Message *message)
{
	char name[NAMES_MAX_LENGTH + 16];
	exchange_name(message, name, sizeof name);
	free(ftp->sized_name);
	ftp->sized_name = strdup(name);
	ftp->size = 0;
}

static void on_command(Session *session, StreamMessage *m, const Message *message)
{
	SessionFramed *framed = session->framed;
	FtpState *ftp = &framed->ftp;
	CommandCounter *counter = session_counter(framed, MESSAGE_FTP, message->command);
	if (counter)
		counter->requests++;
	Message numbered = *message;
	numbered.request_id = ftp->sequence++;
	numbered.length = 0;
	OpClass op_class = class_of(message->verb);
	Request *request = exchange_request(session, m, &numbered, op_class, true, false);
	if (!request)
		return;
	if (message->name_len > 0)
		request->note = message->name[0];
	bool is_work = verb_is_transfer(message->verb) || message->verb == VERB_PREPARE ||
		       message->verb == VERB_SET;
	if (is_work || (ftp->is_logged_in && op_class != OP_AUTH))
		session->turn.is_setup = false;
	if (verb_is_transfer(message->verb)) {
		begin_transfer(session, request, m, message);
	} else if (message->verb == VERB_PREPARE) {
		prepare_file(session, m->first_ns, m->first_frame);
		announce(session, message, false);
	} else if (message->command == FTP_REST) {
		request->op.offset = message->length;
	} else if (message->command == FTP_SIZE) {
		note_size_query(ftp, message);
	}
}

/* ---- replies */

/* answers come in the order of the commands */
static Request *next_unanswered(const Session *session)
{
	Request *request = session->framed->requests.all_first;
	while (request && request->phase == REQUEST_ANSWERING)
		request = request->all_next;
	return request;
}

static void on_interim(Session *session, int64_t first_ns, const Message *message)
{
	Request *request = next_unanswered(session);
	if (!request) {
		session->framed->unpaired_replies++;
		return;
	}
	if (request->file && message->length > 0) {
		FileRef *ref = &request->file->ref;
		ref->size = message->length;
		if (request->op.verb == VERB_READ && request->op.offset == 0)
			ref->announced = message->length;
	}
	if (request->file && request->file->ref.began_ns == 0)
		request->file->ref.began_ns = first_ns;
	request->op.reply_code = message->reply_code;
	exchange_interim(session, request, first_ns);
}

static void on_reply(Session *session, StreamMessage *m, int64_t first_ns, const Message *message)
{
	FtpState *ftp = &session->framed->ftp;
	Request *request = next_unanswered(session);
	if (!request) {
		session->framed->unpaired_replies++;
		return;
	}
	request->op.reply_first_ns = first_ns;
	exchange_answer(session, request, m, message);
	/* 227, 228, 229 name a place; 200 answers PORT */
	bool is_passive = message->reply_code >= 227 && message->reply_code <= 229;
	if (is_passive && request->op.verb == VERB_PREPARE)
		announce(session, message, true);
	if (request->op.command == FTP_SIZE && message->reply_code == 213)
		ftp->size = message->length;
}

/* What the client asks for is hidden: a connection that either host makes to the other soon after
 * it spoke carries data. */
static void hidden_expect(Session *session, const StreamMessage *m)
{
	static const uint8_t peer[16];
	FileCell *file = prepare_file(session, m->first_ns, m->first_frame);
	if (!file || !session->ops->ftp_data)
		return;
	file->ref.opened_ns = m->first_ns;
	file->ref.opened_frame = m->first_frame;
	session->ops->ftp_data(session->user, peer, 0, true, &file->ref);
	session->ops->ftp_data(session->user, peer, 0, false, &file->ref);
}

static void on_opaque(Session *session, Side side, StreamMessage *m, const Message *message)
{
	FtpState *ftp = &session->framed->ftp;
	ftp->is_tls = true;
	if (side == SIDE_SERVER) {
		Request *request = next_unanswered(session);
		if (request)
			exchange_answer(session, request, m, message);
		return;
	}
	hidden_expect(session, m);
	/* several records in a row are taken for one request */
	if (next_unanswered(session))
		return;
	Message guess = *message;
	guess.request_id = ftp->sequence++;
	guess.verb = VERB_OTHER;
	exchange_request(session, m, &guess, OP_OTHER, true, true);
}

static void ftp_message(Session *session, Side side, StreamMessage *m, const Message *message)
{
	FtpState *ftp = &session->framed->ftp;
	int64_t first_ns = m->first_ns;
	activity_message(session->framed, message);
	if (side == SIDE_SERVER && ftp->reply_first_ns != 0) {
		first_ns = ftp->reply_first_ns;
		ftp->reply_first_ns = 0;
	}
	switch (message->kind) {
	case MESSAGE_REQUEST:
		on_command(session, m, message);
		break;
	case MESSAGE_REPLY:
		on_reply(session, m, first_ns, message);
		break;
	case MESSAGE_INTERIM:
		on_interim(session, first_ns, message);
		break;
	case MESSAGE_NOTICE:
		session->turn.last_reply_ns = m->first_ns;
		session->turn.last_class = OP_AUTH;
		session_count_greeting(session->framed, m->first_ns);
		break;
	case MESSAGE_OPAQUE:
		on_opaque(session, side, m, message);
		break;
	}
}

static void ftp_before_reply(Session *session, Request *request, int64_t now_ns)
{
	(void)session;
	(void)request;
	(void)now_ns;
}

static void ftp_after_reply(Session *session, Request *request, int64_t now_ns)
{
	FtpState *ftp = &session->framed->ftp;
	const Operation *op = &request->op;
	bool is_ok = op->answered && op->status_class == STATUS_CLASS_OK;
	if (verb_is_transfer(op->verb) && request->file)
		file_close(&session->framed->files, request->file, now_ns);
	if (!op->answered)
		return;
	if (op->verb == VERB_LOGIN && op->reply_code == 230)
		ftp->is_logged_in = true;
	if (op->command == FTP_AUTH && is_ok)
		ftp->is_tls = true;
	if (op->command == FTP_PROT && is_ok)
		ftp->data_is_private = request->note == 'P' || request->note == 'p';
	if (op->command == FTP_TYPE && is_ok)
		ftp->is_binary = request->note != 'A' && request->note != 'a' &&
				 request->note != 'E' && request->note != 'e';
	if (op->command == FTP_REST && op->reply_code == 350)
		ftp->rest = op->offset;
}

static void ftp_passed(Session *session, Side side, const StreamMessage *m)
{
	FtpState *ftp = &session->framed->ftp;
	if (side == SIDE_SERVER && session->framed->state.reply_code != 0 &&
		ftp->reply_first_ns == 0)
		ftp->reply_first_ns = m->first_ns;
}

static void ftp_end(Session *session, int64_t now_ns)
{
	FtpState *ftp = &session->framed->ftp;
	FileTable *files = &session->framed->files;
	for (FtpData *data = ftp->data, *next; data; data = next) {
		next = data->next;
		session_ftp_data_done(data->session, now_ns);
		data->control = NULL;
		data->prev = data->next = NULL;
	}
	ftp->data = NULL;
	if (ftp->next_file) {
		file_close(files, ftp->next_file, now_ns);
		file_release(ftp->next_file);
		ftp->next_file = NULL;
	}
	free(ftp->sized_name);
	ftp->sized_name = NULL;
}

const SessionKind session_kind_ftp = {
	.message = ftp_message,
	.before_reply = ftp_before_reply,
	.after_reply = ftp_after_reply,
	.passed = ftp_passed,
	.end = ftp_end,
};
