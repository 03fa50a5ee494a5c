/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages whose headers the snap length cut because they began in the middle of a segment. A row
 * of reads or writes goes on as it began, and an answer has the length that was asked for: that
 * tells where the next message begins, and each header seen there proves it. What is not proven is
 * taken back.
 */
#include <string.h>

#include "analyzer/session/session_private.h"

/* Guesses in a row without a header seen: in the middle of segments of 1460 bytes of which 128 are
 * kept, one header in fifteen is seen. */
#define MAX_UNPROVEN 256

/* A write this large is hardly ever the only one: what follows it in its last segment is another.
 */
#define LARGE_WRITE 16384

/* An answer whose end was missed by some small messages before it lacks no more than this. */
#define NEARLY_ALL 0.9

/* Framing, SMB2 header and fixed part before the data: MS-SMB2 2.2.20, and 2.2.22 which has none.
 */
#define SMB2_READ_OVERHEAD (4 + 64 + 16)
#define SMB2_WRITE_TOTAL (4 + 64 + 16)

static Expectation *expectation_of(const Session *session)
{
	SessionFramed *framed = session->framed;
	return framed->kind == &session_kind_smb ? &framed->smb.expected : NULL;
}

static bool is_data(MessageVerb verb)
{
	return verb == VERB_READ || verb == VERB_WRITE;
}

static void note_request(Expectation *e, const Message *message, uint64_t total)
{
	ExpectRow *row = &e->request;
	bool is_alone = message->count == 1 || message->kind == MESSAGE_OPAQUE;
	bool is_row = message->kind == MESSAGE_OPAQUE || is_data(message->verb);
	if (!is_alone || !is_row) {
		row->is_valid = false;
		return;
	}
	bool is_alike = row->is_valid && row->kind == message->kind && row->verb == message->verb &&
			row->total == total && row->length == message->length &&
			message->request_id > row->request_id - (message->kind == MESSAGE_OPAQUE);
	/* MS-SMB2 3.2.4.1.5: as many ids as credits are used */
	uint64_t step = is_alike                     ? message->request_id - row->request_id
			: message->credit_charge > 0 ? message->credit_charge
						     : 1;
	*row = (ExpectRow){
		.is_valid = true,
		.protocol = message->protocol,
		.verb = message->verb,
		.kind = message->kind,
		.command = message->command,
		.credit_charge = message->credit_charge,
		.credits = message->credits,
		.flags = message->flags & ~(uint32_t)MESSAGE_TRUNCATED,
		.tree_id = message->tree_id,
		.run = is_alike ? row->run + 1 : 0,
		.session_id = message->session_id,
		.request_id = message->request_id,
		.offset = message->offset,
		.length = message->length,
		.id_step = step,
		.total = total,
		.opaque_length = message->opaque_length,
	};
	memcpy(row->file_id, message->file_id, sizeof row->file_id);
}

static void note_answer(Expectation *e, const Message *message, uint64_t total)
{
	if (message->kind == MESSAGE_OPAQUE) {
		e->opaque_total = total;
		e->opaque_length = message->opaque_length;
		return;
	}
	if (message->kind != MESSAGE_REPLY || message->status_class != STATUS_CLASS_OK ||
		message->count != 1)
		return;
	if (message->verb == VERB_READ)
		e->read_total = total;
	if (message->flags & MESSAGE_TRUNCATED)
		return;
	if (message->verb == VERB_READ && message->length > 0 && total > message->length)
		e->read_overhead = total - message->length;
	if (message->verb == VERB_WRITE)
		e->write_total = total;
}

/* "pending" follows a failed guess: that was "pending" too, and the real answer is still to come */
static void keep_retracted(Session *session)
{
	SessionFramed *framed = session->framed;
	if (!framed->has_retracted)
		return;
	framed->has_retracted = false;
	for (Request *r = framed->requests.owed_first; r; r = r->owed_next)
		r->is_retracted = false;
}

void expect_note(Session *session, Side side, const Message *message, uint64_t total)
{
	Expectation *e = expectation_of(session);
	if (!e || session->framed->is_inferring)
		return;
	e->unproven[side] = 0;
	if (side == SIDE_CLIENT) {
		e->proven_tag = session->framed->last_tag;
		note_request(e, message, total);
	} else {
		note_answer(e, message, total);
		if (message->kind == MESSAGE_INTERIM)
			keep_retracted(session);
	}
}

void expect_fill(const Session *session, Message *message)
{
	const Expectation *e = expectation_of(session);
	const ExpectRow *row = e ? &e->request : NULL;
	if (!row || !row->is_valid || row->verb != message->verb || row->length == 0 ||
		!is_data(message->verb))
		return;
	if (message->length == 0)
		message->length = row->length;
	if (message->offset == 0 && !(message->flags & MESSAGE_HAS_OFFSET))
		message->offset = row->offset + row->length;
	/* the cut may go through the middle: what comes first is there, the rest is not; no session
	 * or tree that works on files is 0 */
	if (message->session_id == 0)
		message->session_id = row->session_id;
	if (message->tree_id == 0 && !(message->flags & MESSAGE_ASYNC))
		message->tree_id = row->tree_id;
	if (!(message->flags & MESSAGE_HAS_FILE_ID)) {
		memcpy(message->file_id, row->file_id, sizeof message->file_id);
		message->flags |= row->flags & MESSAGE_HAS_FILE_ID;
	}
}

/* the oldest request without an answer, when it is a read or a write */
static const Request *oldest_data(const Session *session)
{
	const Request *r = session->framed->requests.owed_first;
	while (r && r->phase == REQUEST_ANSWERING)
		r = r->owed_next;
	return r && r->is_data ? r : NULL;
}

uint64_t expect_read_overhead(const Session *session, MessageProtocol protocol)
{
	const Expectation *e = expectation_of(session);
	if (e && e->read_overhead > 0)
		return e->read_overhead;
	return protocol == MESSAGE_SMB2 ? SMB2_READ_OVERHEAD : 0;
}

Request *expect_request(const Session *session, const Message *message)
{
	if (session->framed->inferred == 0 || !is_data(message->verb))
		return NULL;
	for (Request *r = session->framed->requests.owed_first; r; r = r->owed_next) {
		if (r->phase == REQUEST_SENT && !r->is_opaque && r->op.verb == message->verb &&
			r->op.protocol == message->protocol)
			return r;
	}
	return NULL;
}

static uint64_t answer_total(const Expectation *e, const Request *r)
{
	bool is_smb2 = r->op.protocol == MESSAGE_SMB2;
	if (r->is_opaque)
		return r->op.verb == VERB_READ ? e->opaque_total : 0;
	if (r->op.verb == VERB_WRITE)
		return e->write_total > 0 ? e->write_total : is_smb2 ? SMB2_WRITE_TOTAL : 0;
	if (r->op.asked_bytes == 0) /* cut off: as much as the one before */
		return e->read_total;
	uint64_t overhead = e->read_overhead > 0 ? e->read_overhead
			    : is_smb2            ? SMB2_READ_OVERHEAD
						 : 0;
	return overhead > 0 ? overhead + r->op.asked_bytes : 0;
}

/* what an answer that was not seen moved */
static uint64_t answer_length(const Session *session, const Expectation *e, const Request *r)
{
	uint64_t overhead = expect_read_overhead(session, r->op.protocol);
	if (r->op.asked_bytes > 0 || r->op.verb != VERB_READ)
		return r->op.asked_bytes;
	return overhead > 0 && e->read_total > overhead ? e->read_total - overhead : 0;
}

uint64_t expect_total(const Session *session, Side side)
{
	const Expectation *e = expectation_of(session);
	if (!e || e->unproven[side] >= MAX_UNPROVEN)
		return 0;
	if (side == SIDE_CLIENT) {
		/* two alike show a row, and how its ids go on */
		const ExpectRow *row = &e->request;
		bool is_row =
			row->run > 0 || (row->verb == VERB_WRITE && row->length >= LARGE_WRITE);
		return row->is_valid && is_row ? row->total : 0;
	}
	const Request *oldest = oldest_data(session);
	return oldest ? answer_total(e, oldest) : 0;
}

bool expect_fits(const Session *session, Side side, uint64_t total)
{
	const Expectation *e = expectation_of(session);
	if (!e)
		return false;
	/* that its length is the same makes two of them a row */
	if (side == SIDE_CLIENT)
		return e->request.is_valid && e->request.total == total;
	return expect_total(session, side) == total;
}

static void emit_request(Session *session, StreamMessage *m, Expectation *e)
{
	ExpectRow *row = &e->request;
	row->run++;
	row->request_id += row->id_step;
	row->offset += row->length;
	Message message = {
		.kind = row->kind,
		.protocol = row->protocol,
		.verb = row->verb,
		.command = row->command,
		.flags = row->flags,
		.request_id = row->request_id,
		.session_id = row->session_id,
		.tree_id = row->tree_id,
		.offset = row->offset,
		.length = row->length,
		.credit_charge = row->credit_charge,
		.credits = row->credits,
		.opaque_length = row->opaque_length,
		.count = 1,
	};
	memcpy(message.file_id, row->file_id, sizeof message.file_id);
	session->framed->kind->message(session, SIDE_CLIENT, m, &message);
}

static void emit_answer(Session *session, StreamMessage *m, const Expectation *e)
{
	const Request *oldest = oldest_data(session);
	if (!oldest)
		return;
	Message message = {
		.kind = oldest->is_opaque ? MESSAGE_OPAQUE : MESSAGE_REPLY,
		.protocol = oldest->op.protocol,
		.verb = oldest->op.verb,
		.command = oldest->op.command,
		.flags = MESSAGE_LAST | (oldest->is_opaque ? MESSAGE_ENCRYPTED : 0),
		.request_id = oldest->id,
		.session_id = oldest->op.session_id,
		.length = answer_length(session, e, oldest),
		.opaque_length = e->opaque_length,
		.count = 1,
	};
	session->framed->kind->message(session, SIDE_SERVER, m, &message);
}

void expect_emit(Session *session, Side side, StreamMessage *m)
{
	Expectation *e = expectation_of(session);
	if (!e)
		return;
	SessionFramed *framed = session->framed;
	framed->inferred++;
	e->unproven[side]++;
	/* the credits granted in it are not known */
	framed->smb.credits_lost = true;
	framed->is_inferring = true;
	if (side == SIDE_CLIENT)
		emit_request(session, m, e);
	else
		emit_answer(session, m, e);
	framed->is_inferring = false;
}

/* too short for data: it was "pending", an error, or something else */
static void answer_take_back(Session *session, Request *r)
{
	request_wait_over(&session->framed->requests, r);
	r->phase = REQUEST_SENT;
	r->is_retracted = true;
	r->op.reply_first_ns = 0;
	r->op.moved_bytes = 0;
	session->framed->has_retracted = true;
}

static void adjust_request(Session *session, Request *r, const StreamMessage *m)
{
	const ExpectRow *row = &expectation_of(session)->request;
	uint64_t total = (uint64_t)(m->end - m->start), overhead = row->total - row->length;
	if (r->op.verb == VERB_WRITE && total > overhead)
		r->op.asked_bytes = total - overhead;
	else
		exchange_give_up(session, r, m->last_ns);
}

void expect_adjust(Session *session, const StreamMessage *m)
{
	const Expectation *e = expectation_of(session);
	if (!e)
		return;
	Request *next;
	for (Request *r = session->framed->requests.unfinished_first; r; r = next) {
		next = r->unfinished_next;
		if (r->tag != m->tag)
			continue;
		if (r->phase == REQUEST_SENDING)
			adjust_request(session, r, m);
		else if ((double)(m->end - m->start) < NEARLY_ALL * (double)answer_total(e, r))
			answer_take_back(session, r);
	}
}

void expect_proven(Session *session, const Request *request, int64_t now_ns)
{
	SessionFramed *framed = session->framed;
	if (!framed->has_retracted || framed->is_inferring)
		return;
	framed->has_retracted = false;
	bool is_older = true;
	Request *next;
	for (Request *r = framed->requests.owed_first; r; r = next) {
		next = r->owed_next;
		is_older &= r != request;
		if (r->is_retracted && is_older && r->phase == REQUEST_SENT)
			exchange_give_up(session, r, now_ns);
		else
			framed->has_retracted |= r->is_retracted;
	}
}

void expect_closed(Session *session, const FileCell *file, int64_t now_ns)
{
	SessionFramed *framed = session->framed;
	if (framed->inferred == 0)
		return;
	Request *next;
	for (Request *r = framed->requests.owed_first; r; r = next) {
		next = r->owed_next;
		if (r->file == file && r->is_data && r->phase == REQUEST_SENT)
			exchange_give_up(session, r, now_ns);
	}
}

void expect_retract(Session *session, Side side, int64_t now_ns)
{
	Expectation *e = expectation_of(session);
	if (!e || side != SIDE_CLIENT)
		return;
	e->request.is_valid = false;
	Request *next;
	for (Request *r = session->framed->requests.all_first; r; r = next) {
		next = r->all_next;
		if (r->op.is_inferred && r->phase == REQUEST_SENT && r->tag > e->proven_tag)
			exchange_give_up(session, r, now_ns);
	}
}
