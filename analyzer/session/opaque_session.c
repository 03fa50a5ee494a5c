/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encrypted SMB3 sessions: what the sizes of messages tell. One request is taken to have one
 * answer; reads and writes are known by their sizes. MS-SMB2 2.2.41 (transform header: the size of
 * the message inside is in clear).
 */
#include "analyzer/session/session_private.h"

/* sizes of the message inside: SMB2 header (64 bytes) and body */
#define READ_REQUEST_SIZE (64 + 49)  /* MS-SMB2 2.2.19, one byte of buffer */
#define WRITE_REQUEST_SIZE (64 + 48) /* 2.2.21, without the data */
#define READ_ANSWER_SIZE (64 + 16)   /* 2.2.20, without the data */
#define WRITE_ANSWER_MAX (64 + 20)   /* 2.2.22: 16 or 17 bytes, padded to 4 by some servers */
#define ERROR_ANSWER_SIZE (64 + 9)   /* 2.2.2: an error, or "pending" */

/* A request longer than this carries file data; an open with a long path and its contexts stays
 * below. */
#define WRITE_SIZE_MIN (WRITE_REQUEST_SIZE + 4096)

/* A request still unanswered when so many later ones were answered was answered by a message taken
 * for another's: notifications come when they like. */
#define OPAQUE_MAX_LAG 64

static void request_sized(Session *session, StreamMessage *m, const Message *message)
{
	SmbState *smb = &session->framed->smb;
	uint64_t size = message->opaque_length;
	Message guess = *message;
	OpClass op_class = OP_OTHER;
	guess.verb = VERB_OTHER;
	guess.length = 0;
	if (size == READ_REQUEST_SIZE) {
		guess.verb = VERB_READ;
		op_class = OP_READ;
	} else if (size >= WRITE_SIZE_MIN) {
		guess.verb = VERB_WRITE;
		op_class = OP_WRITE;
		guess.length = size - WRITE_REQUEST_SIZE;
	}
	Request *request = exchange_request(session, m, &guess, op_class, true, true);
	if (!request)
		return;
	session->turn.is_setup = false;
	request->id = smb->opaque_sequence++;
	if (op_class == OP_OTHER)
		return;
	if (!smb->opaque_file) {
		FileCell *file = file_new(NULL, NULL);
		if (!file)
			return;
		file->ref.opened_ns = m->first_ns;
		file->ref.opened_frame = m->first_frame;
		smb->opaque_file = file;
		file_announce(&session->framed->files, file);
	}
	exchange_set_file(request, smb->opaque_file);
}

/* a request after "pending" for all others was no "pending": those were errors, and are answered */
static void settle_pending(Session *session, uint64_t size, int64_t now_ns)
{
	MessageVerb verb = size == READ_REQUEST_SIZE ? VERB_READ
			   : size >= WRITE_SIZE_MIN  ? VERB_WRITE
						     : VERB_OTHER;
	RequestTable *requests = &session->framed->requests;
	for (Request *r = requests->owed_first; r; r = r->owed_next) {
		if (!r->is_opaque || r->op.interim_ns == 0 || r->op.verb == verb)
			return;
	}
	while (requests->owed_first)
		exchange_give_up(session, requests->owed_first, now_ns);
}

static bool may_wait(const Request *request)
{
	return request->phase == REQUEST_SENT;
}

/* the request that an answer of @size most likely belongs to */
static Request *answer_match(const Session *session, const Message *message)
{
	Request *oldest = NULL, *other = NULL;
	uint64_t size = message->opaque_length;
	MessageVerb want = size > WRITE_ANSWER_MAX    ? VERB_READ
			   : size >= READ_ANSWER_SIZE ? VERB_WRITE
						      : VERB_OTHER;
	for (Request *r = session->framed->requests.owed_first; r; r = r->owed_next) {
		if (!may_wait(r))
			continue;
		if (r->op.verb == want && want != VERB_OTHER)
			return r;
		if (!oldest)
			oldest = r;
		if (!other && r->op.verb == VERB_OTHER)
			other = r;
	}
	return other ? other : oldest;
}

static Request *oldest_silent(const Session *session)
{
	for (Request *r = session->framed->requests.owed_first; r; r = r->owed_next) {
		if (may_wait(r) && r->is_opaque && r->op.interim_ns == 0)
			return r;
	}
	return NULL;
}

static void drop_lagging(Session *session, uint64_t answered, int64_t now_ns)
{
	Request *next;
	for (Request *r = session->framed->requests.owed_first; r; r = next) {
		next = r->owed_next;
		if (r->is_opaque && may_wait(r) && r->id + OPAQUE_MAX_LAG < answered)
			exchange_give_up(session, r, now_ns);
	}
}

static void answer_sized(Session *session, StreamMessage *m, const Message *message)
{
	if (message->opaque_length == ERROR_ANSWER_SIZE) {
		Request *silent = oldest_silent(session);
		/* a read or write may have been told to wait: its real answer can still come */
		if (silent && silent->is_data) {
			exchange_interim(session, silent, m->first_ns);
			return;
		}
	}
	Request *request = answer_match(session, message);
	if (!request)
		return;
	uint64_t sequence = request->id;
	bool is_opaque = request->is_opaque;
	exchange_answer(session, request, m, message);
	if (request->op.verb == VERB_READ && message->opaque_length > READ_ANSWER_SIZE)
		request->op.moved_bytes = message->opaque_length - READ_ANSWER_SIZE;
	if (request->op.verb == VERB_WRITE)
		request->op.moved_bytes = request->op.asked_bytes;
	if (is_opaque)
		drop_lagging(session, sequence, m->first_ns);
}

void opaque_message(Session *session, Side side, StreamMessage *m, const Message *message)
{
	SmbState *smb = &session->framed->smb;
	smb->encrypted += (message->flags & MESSAGE_ENCRYPTED) != 0;
	smb->compressed += (message->flags & MESSAGE_COMPRESSED) != 0;
	/* credits travel inside */
	smb->credits_lost = true;
	if (smb->session_id == 0)
		smb->session_id = message->session_id;
	if (side == SIDE_CLIENT) {
		settle_pending(session, message->opaque_length, m->first_ns);
		request_sized(session, m, message);
	} else {
		answer_sized(session, m, message);
	}
}
