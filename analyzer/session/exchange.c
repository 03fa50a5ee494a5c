/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The life of an exchange, whatever the protocol: request seen, request complete, "pending", answer
 * begun, answer complete, or given up. Every step keeps the Turn and the statistics right.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/session/session_private.h"
#include "dissectors/text.h"

/* the file to show to the listener: closed ones are gone for it */
static FileRef *visible_file(const Request *request)
{
	return request->file && !request->file->is_closed ? &request->file->ref : NULL;
}

void exchange_set_file(Request *request, FileCell *file)
{
	if (file)
		file_hold(file);
	file_release(request->file);
	request->file = file;
}

static void request_discard(SessionFramed *framed, Request *request)
{
	file_release(request->file);
	file_share_drop(request->share);
	free(request->new_name);
	request_remove(&framed->requests, request);
}

Request *exchange_request(Session *session, StreamMessage *m, const Message *message,
	OpClass op_class, bool is_owed, bool is_opaque)
{
	SessionFramed *framed = session->framed;
	if (framed->requests.count >= framed->requests.limit) {
		framed->requests_dropped++;
		exchange_give_up(session, framed->requests.all_first, m->first_ns);
	}
	Request *request = request_add(&framed->requests, message->request_id, is_opaque);
	if (!request) {
		framed->requests_dropped++;
		return NULL;
	}
	request->is_owed = is_owed;
	request->is_data = message->verb == VERB_READ || message->verb == VERB_WRITE;
	request->tree_id = message->tree_id;
	request->op = (Operation){
		.protocol = message->protocol,
		.verb = message->verb,
		.op_class = op_class,
		.command = message->command,
		.flags = message->flags,
		.info_class = message->info_class,
		.offset = message->offset,
		.asked_bytes = message->length,
		.request_first_ns = m->first_ns,
		.credits_available = INT32_MIN,
		.credit_charge = message->credit_charge,
		.credits_asked = message->credits,
		.is_encrypted = is_opaque,
		.is_inferred = framed->is_inferring,
		.session_id = message->session_id,
	};
	request_wait(&framed->requests, request, m->tag);
	return request;
}

static void request_sent(Session *session, Request *request, int64_t last_ns, uint64_t frame)
{
	RequestTable *requests = &session->framed->requests;
	Operation *op = &request->op;
	request_wait_over(requests, request);
	request_mark_sent(requests, request);
	op->request_last_ns = last_ns;
	op->request_frame = frame;
	op->in_flight = requests->data_count;
	op->in_flight_bytes = requests->data_bytes;
	op->file = visible_file(request);
	if (request->is_owed) {
		session->turn.newest_request_ns = last_ns;
		session->turn.newest_class = op->op_class;
	}
	session_count_request(session->framed, op);
	activity_request(session, request);
	if (session->ops->request)
		session->ops->request(session->user, op);
}

/* an answer proves that the request was sent, even if the capture lacks some of its bytes */
static void force_sent(Session *session, Request *request)
{
	int64_t last_ns = request->op.request_first_ns;
	uint64_t frame = 0;
	for (int side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		const StreamMessage *m = &session->framed->streams[side].current;
		if (m->tag == request->tag) {
			last_ns = m->last_ns;
			frame = m->last_frame;
		}
	}
	request_sent(session, request, last_ns, frame);
}

void exchange_interim(Session *session, Request *request, int64_t now_ns)
{
	if (request->phase == REQUEST_SENDING)
		force_sent(session, request);
	request->op.interim_ns = now_ns;
	request->op.file = visible_file(request);
	if (!request->is_opaque) {
		CommandCounter *counter =
			session_counter(session->framed, request->op.protocol, request->op.command);
		if (counter)
			counter->pending++;
	}
	if (session->ops->interim)
		session->ops->interim(session->user, &request->op);
}

static uint32_t bytes_of(const Operation *op)
{
	return op->asked_bytes < UINT32_MAX ? (uint32_t)op->asked_bytes : UINT32_MAX;
}

void exchange_answer(Session *session, Request *request, StreamMessage *m, const Message *message)
{
	SessionFramed *framed = session->framed;
	Operation *op = &request->op;
	if (request->phase == REQUEST_SENDING)
		force_sent(session, request);
	request->phase = REQUEST_ANSWERING;
	request_wait(&framed->requests, request, m->tag);
	if (op->reply_first_ns == 0)
		op->reply_first_ns = m->first_ns;
	op->is_inferred |= framed->is_inferring;
	op->status = message->status;
	op->status_class = message->status_class;
	op->reply_code = message->reply_code;
	op->credits_granted = (uint16_t)(op->credits_granted + message->credits);
	op->entries += message->entries;
	if (request->is_data)
		request_answer_remember(&framed->requests,
			&(RequestAnswer){m->start, m->end, bytes_of(op), message->credits});
	op->previous_reply_ns = framed->previous_reply_first_ns;
	op->previous_reply_last_ns = framed->previous_reply_last_ns;
}

/* The server cannot have begun before it had the request, nor sent before the answer ahead was out:
 * the loop counts only when nothing was ahead. */
static int64_t server_time(const Operation *op, int64_t loop_ns)
{
	int64_t start = op->request_last_ns + loop_ns;
	if (op->previous_reply_last_ns > start)
		start = op->previous_reply_last_ns;
	return op->reply_first_ns > start ? op->reply_first_ns - start : 0;
}

static void count_answer(Session *session, const Request *request)
{
	int64_t loop_ns = session->server_loop_ns;
	if (!request->is_opaque && !request->is_foreign)
		session_count_answer(session->framed, &request->op,
			loop_ns >= 0 ? server_time(&request->op, loop_ns) : -1);
}

static void give_up_doubtful(Session *session, int64_t now_ns)
{
	session->framed->has_doubt = false;
	Request *next;
	for (Request *r = session->framed->requests.owed_first; r; r = next) {
		next = r->owed_next;
		if (r->is_doubtful && r->phase == REQUEST_SENT && r->op.interim_ns == 0)
			exchange_give_up(session, r, now_ns);
	}
}

static void request_answered(Session *session, Request *request, const StreamMessage *m)
{
	SessionFramed *framed = session->framed;
	Operation *op = &request->op;
	request_wait_over(&framed->requests, request);
	op->reply_last_ns = m->last_ns;
	op->reply_frame = m->last_frame;
	op->answered = true;
	if (request->is_owed) {
		session->turn.last_reply_ns = m->last_ns;
		session->turn.last_class = op->op_class;
	}
	count_answer(session, request);
	activity_answer(session, request);
	framed->kind->before_reply(session, request, m->last_ns);
	op->file = visible_file(request);
	if (session->ops->reply)
		session->ops->reply(session->user, op);
	framed->kind->after_reply(session, request, m->last_ns);
	bool was_doubtful = request->is_doubtful;
	request_discard(framed, request);
	if (framed->has_doubt && !was_doubtful)
		give_up_doubtful(session, m->last_ns);
}

void exchange_complete(Session *session, Side side, const StreamMessage *m)
{
	SessionFramed *framed = session->framed;
	bool had_answer = false;
	Request *request = framed->requests.unfinished_first;
	while (request) {
		if (request->tag != m->tag) {
			request = request->unfinished_next;
			continue;
		}
		if (request->phase == REQUEST_SENDING) {
			request_sent(session, request, m->last_ns, m->last_frame);
		} else {
			request_answered(session, request, m);
			had_answer = true;
		}
		/* the listener's business may have changed the list */
		request = framed->requests.unfinished_first;
	}
	if (had_answer) {
		framed->previous_reply_first_ns = m->first_ns;
		framed->previous_reply_last_ns = m->last_ns;
	}
	framed->kind->passed(session, side, m);
}

void exchange_give_up(Session *session, Request *request, int64_t now_ns)
{
	SessionFramed *framed = session->framed;
	/* the listener never heard of one whose last byte was not seen */
	if (request->phase != REQUEST_SENDING) {
		request->op.answered = false;
		request->op.reply_last_ns = 0;
		request->op.file = visible_file(request);
		if (session->ops->reply)
			session->ops->reply(session->user, &request->op);
	}
	framed->kind->after_reply(session, request, now_ns);
	request_discard(framed, request);
}

void exchange_doubt(Session *session, Side side)
{
	if (side != SIDE_SERVER)
		return;
	SessionFramed *framed = session->framed;
	for (Request *r = framed->requests.owed_first; r; r = r->owed_next) {
		r->is_doubtful = true;
		framed->has_doubt = true;
	}
}

void exchange_count_reply(Session *session, const Message *message)
{
	SessionFramed *framed = session->framed;
	framed->unpaired_replies++;
	CommandCounter *counter = session_counter(framed, message->protocol, message->command);
	if (!counter)
		return;
	if (message->kind == MESSAGE_INTERIM) {
		counter->pending++;
		return;
	}
	counter->responses++;
	if (session_class_is_error(message->status_class))
		counter->errors++;
}

void exchange_turn(Session *session)
{
	SessionFramed *framed = session->framed;
	Turn *turn = &session->turn;
	turn->message_left[SIDE_CLIENT] = stream_left(&framed->streams[SIDE_CLIENT]);
	turn->message_left[SIDE_SERVER] = stream_left(&framed->streams[SIDE_SERVER]);
	/* between the lines of a long FTP reply */
	if (framed->state.reply_code != 0 && turn->message_left[SIDE_SERVER] == 0)
		turn->message_left[SIDE_SERVER] = 1;
	const Request *oldest = framed->requests.owed_first;
	turn->outstanding = framed->requests.owed_count;
	turn->oldest_request_ns = oldest ? oldest->op.request_last_ns : 0;
	turn->oldest_class = oldest ? oldest->op.op_class : OP_OTHER;
	turn->interim = oldest && oldest->op.interim_ns != 0;
}

void exchange_name(const Message *message, char ret[], size_t ret_size)
{
	size_t len = 0;
	ret[0] = 0;
	if (!message->name || message->name_len == 0)
		return;
	if (message->flags & MESSAGE_NAME_UTF16)
		len = text_from_utf16le(message->name, message->name_len, ret, ret_size);
	else
		len = text_from_bytes(message->name, message->name_len, ret, ret_size);
	if (len <= NAMES_MAX_LENGTH)
		return;
	len = NAMES_MAX_LENGTH - strlen(NAMES_CUT_MARK);
	while (len > 0 && ((uint8_t)ret[len] & 0xc0) == 0x80)
		len--;
	memcpy(ret + len, NAMES_CUT_MARK, sizeof NAMES_CUT_MARK);
}
