/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What requests and answers of SMB1 and SMB2/3 mean: files, shares, credits, negotiation. It works
 * for every protocol that speaks in ids of requests and files. MS-SMB2 3.2, 3.3; MS-CIFS 3.2, 3.3.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/session/session_private.h"
#include "analyzer/session/smb_secret.h"

/* Fixed bytes before the data, for requests whose header the snap length cut: NetBIOS framing, SMB2
 * header, and the fixed part of a WRITE request, MS-SMB2 2.2.21. */
#define SMB2_WRITE_OVERHEAD (4 + 64 + 48)

/* FileRenameInformation, MS-FSCC 2.4: set-info that gives an open file another name */
#define INFO_RENAME 10

/* Message.request_id of SMB1: the place in an AndX chain stands above PID and MID */
#define SMB1_INDEX_SHIFT 32

static OpClass class_of(MessageVerb verb)
{
	switch (verb) {
	case VERB_NEGOTIATE:
	case VERB_LOGIN:
	case VERB_LOGOFF:
	case VERB_CONNECT:
		return OP_AUTH;
	case VERB_OPEN:
		return OP_OPEN;
	case VERB_CLOSE:
		return OP_CLOSE;
	case VERB_READ:
		return OP_READ;
	case VERB_WRITE:
		return OP_WRITE;
	case VERB_FLUSH:
		return OP_FLUSH;
	case VERB_LOCK:
		return OP_LOCK;
	case VERB_LIST:
		return OP_DIR;
	case VERB_QUERY:
	case VERB_SET:
	case VERB_IOCTL:
	case VERB_COPY:
	case VERB_DISCONNECT:
	case VERB_MODE:
	case VERB_PREPARE:
		return OP_META;
	case VERB_OTHER:
	case VERB_NOTIFY:
	case VERB_ECHO:
	case VERB_CANCEL:
	case VERB_BREAK:
	case VERB_COUNT:
		break;
	}
	return OP_OTHER;
}

/* whether work on files has begun; control codes without a file belong to the set-up of SMB3 */
static bool verb_ends_setup(const Message *message)
{
	/* referrals and the list of interfaces carry a handle of all ones, MS-SMB2 2.2.31 */
	if (message->verb == VERB_IOCTL)
		return smb_file_is_named(message);
	OpClass op_class = class_of(message->verb);
	return op_class != OP_AUTH && op_class != OP_OTHER;
}

/* ---- credits, MS-SMB2 3.3.1.1 and 3.3.1.2 */

static void credits_spend(SessionFramed *framed, const Message *message)
{
	SmbState *smb = &framed->smb;
	if (message->protocol == MESSAGE_SMB1 && message->verb == VERB_NEGOTIATE &&
		message->negotiation && message->negotiation->offered_count > 0) {
		/* a multi-protocol negotiate takes message id 0 of the SMB2 connection */
		smb->credits_known = true;
		smb->credits = 0;
		return;
	}
	if (message->protocol != MESSAGE_SMB2 || message->verb == VERB_CANCEL)
		return;
	if (message->verb == VERB_NEGOTIATE && !smb->credits_known) {
		smb->credits_known = true;
		smb->credits = 1;
	}
	uint16_t charge = message->credit_charge > 0 ? message->credit_charge : 1;
	smb->credits -= charge;
	framed->counts.credits_charged += charge;
	/* more spent than given: answers are missing in the capture */
	if (smb->credits < 0)
		smb->credits_lost = true;
}

/* the first credits are given one by one: only those of work on files say something */
static void credits_note_lowest(SmbState *smb)
{
	if (smb->credits_min == INT32_MIN || smb->credits < smb->credits_min)
		smb->credits_min = smb->credits;
}

static void credits_earn(SessionFramed *framed, const Message *message)
{
	SmbState *smb = &framed->smb;
	if (message->protocol != MESSAGE_SMB2 || smb->credits >= INT32_MAX - UINT16_MAX)
		return;
	smb->credits += message->credits;
	framed->counts.credits_granted += message->credits;
	if (smb->credits_known && smb->credits > framed->counts.credits_max)
		framed->counts.credits_max = smb->credits;
}

/* ---- requests */

static void request_connect(Request *request, const Message *message)
{
	char name[NAMES_MAX_LENGTH + 16];
	exchange_name(message, name, sizeof name);
	request->share = file_share_new(name, message->flags & MESSAGE_PIPE);
}

static void negotiation_note(SmbState *smb, const Message *message, bool is_offer)
{
	if (!message->negotiation)
		return;
	/* SMB3 negotiates twice when the first was the multi-protocol one: the last answer counts
	 */
	if (is_offer) {
		MessageNegotiation before = smb->offer;
		smb->offer = *message->negotiation;
		smb->offer.offered_smb1 |= before.offered_smb1;
		if (smb->offer.smb1_offered_count == 0) {
			smb->offer.smb1_offered_count = before.smb1_offered_count;
			memcpy(smb->offer.smb1_offered, before.smb1_offered,
				sizeof before.smb1_offered);
		}
		smb->offer_seen = true;
	} else {
		smb->choice = *message->negotiation;
		smb->choice_seen = true;
	}
}

/* a request with the id of one that was never answered takes its place */
static void replace_old(Session *session, const StreamMessage *m, const Message *message)
{
	SessionFramed *framed = session->framed;
	Request *old = request_find(
		&framed->requests, message->request_id, message->protocol, message->command, true);
	if (!old || (old->tag == m->tag && old->phase == REQUEST_SENDING))
		return;
	if (message->protocol == MESSAGE_SMB2)
		activity_anomaly(framed, "id-used-twice");
	exchange_give_up(session, old, m->first_ns);
}

/*
 * What goes through a named pipe is no file data. A READ that no call went before waits for what
 * the program at the other end may have to say: nobody owes it.
 */
static void pipe_request(Request *request)
{
	Operation *op = &request->op;
	if (!request->file || !request->file->ref.is_pipe)
		return;
	bool is_call = op->verb == VERB_WRITE || op->verb == VERB_IOCTL;
	if (is_call)
		request->file->pipe_owes = true;
	if (!request->is_data && !is_call)
		return;
	request->is_data = false;
	op->op_class = OP_OTHER;
	op->is_event = op->verb == VERB_READ && !request->file->pipe_owes;
	if (op->is_event)
		request->is_owed = false;
}

/* The call is answered, unless the answer did not fit. */
static void pipe_reply(Request *request)
{
	const Operation *op = &request->op;
	if (request->file && op->answered && op->status_class == STATUS_CLASS_OK &&
		(op->verb == VERB_READ || op->verb == VERB_IOCTL))
		request->file->pipe_owes = false;
}

static void on_request(Session *session, StreamMessage *m, const Message *message)
{
	SessionFramed *framed = session->framed;
	SmbState *smb = &framed->smb;
	if (message->verb == VERB_NEGOTIATE)
		negotiation_note(smb, message, true);
	credits_spend(framed, message);
	CommandCounter *counter = session_counter(framed, message->protocol, message->command);
	if (counter)
		counter->requests++;
	/* answered by the final answer of what it cancels */
	if (message->verb == VERB_CANCEL)
		return;
	replace_old(session, m, message);
	OpClass op_class = message->protocol == MESSAGE_NETBIOS ? OP_AUTH : class_of(message->verb);
	Request *request =
		exchange_request(session, m, message, op_class, message_is_owed(message), false);
	if (!request)
		return;
	if (verb_ends_setup(message))
		session->turn.is_setup = false;
	if (smb->credits_known && !smb->credits_lost && message->protocol == MESSAGE_SMB2) {
		request->op.credits_available = smb->credits;
		if (!session->turn.is_setup)
			credits_note_lowest(smb);
	}
	memcpy(request->file_id, message->file_id, sizeof request->file_id);
	if (message->verb == VERB_OPEN) {
		smb_file_open(session, request, m, message);
		return;
	}
	smb_file_find(session, request, m, message);
	pipe_request(request);
	bool is_asked = message->verb == VERB_QUERY || message->verb == VERB_SET;
	if (!request->file && is_asked && message->protocol == MESSAGE_SMB1)
		smb_file_by_name(session, request, message);
	request->is_close = message->verb == VERB_CLOSE;
	if (message->verb == VERB_CONNECT)
		request_connect(request, message);
	if (message->verb == VERB_LIST || message->verb == VERB_QUERY)
		request->op.asked_bytes = message->buffer_length;
	if (message->verb == VERB_SET && message->info_class == INFO_RENAME && message->name) {
		char name[NAMES_MAX_LENGTH + 16];
		exchange_name(message, name, sizeof name);
		request->new_name = strdup(name);
	}
}

/* ---- answers */

static Request *find_request(const Session *session, const Message *message)
{
	const RequestTable *requests = &session->framed->requests;
	Request *request = request_find(
		requests, message->request_id, message->protocol, message->command, true);
	if (request || message->verb != VERB_NEGOTIATE || message->protocol != MESSAGE_SMB2)
		return request;
	/* MS-SMB2 3.3.5.3.1: an SMB1 negotiate that offers SMB2 is answered in SMB2 */
	for (Request *r = requests->owed_first; r; r = r->owed_next) {
		if (r->op.verb == VERB_NEGOTIATE && r->op.protocol == MESSAGE_SMB1)
			return r;
	}
	return NULL;
}

/* answers whose request went encrypted or compressed, or the other way round */
static Request *find_opaque(const Session *session, const Message *message)
{
	for (Request *r = session->framed->requests.owed_first; r; r = r->owed_next) {
		if (r->is_opaque && (r->op.verb == message->verb || r->op.verb == VERB_OTHER))
			return r;
	}
	return NULL;
}

static uint64_t moved_bytes(const Session *session, const Request *request, const Message *message)
{
	if (message->status_class != STATUS_CLASS_OK && message->status_class != STATUS_CLASS_MORE)
		return 0;
	if (request->op.verb == VERB_WRITE)
		return message->length > 0 ? message->length : request->op.asked_bytes;
	if (request->op.verb != VERB_READ || message->length > 0 ||
		!(message->flags & MESSAGE_TRUNCATED))
		return message->length;
	uint64_t total = session->framed->streams[session->framed->message_side].extent.total;
	uint64_t overhead = expect_read_overhead(session, message->protocol);
	return overhead > 0 && total > overhead ? total - overhead : 0;
}

static void answer_open(Request *request, const Message *message)
{
	memcpy(request->file_id, message->file_id, sizeof request->file_id);
	if (!request->file)
		return;
	FileRef *ref = &request->file->ref;
	ref->size = message->file_size;
	ref->oplock_granted = message->oplock;
	ref->is_directory |= (message->flags & MESSAGE_DIRECTORY) != 0;
	ref->is_pipe |= (message->flags & MESSAGE_PIPE) != 0;
}

/* The answer to an AndX chain ends with the first member that failed: those behind it did not run.
 */
static void answer_rest(Session *session, StreamMessage *m, const Message *message)
{
	for (uint64_t i = message->index + UINT64_C(1); i < PARSE_MAX_ANDX; i++) {
		uint64_t id = i << SMB1_INDEX_SHIFT | (uint32_t)message->request_id;
		Request *request = request_find(
			&session->framed->requests, id, MESSAGE_SMB1, message->command, true);
		if (!request || request->phase != REQUEST_SENT)
			return;
		exchange_answer(session, request, m, message);
	}
}

/* MS-SMB2 2.2.31.4: FSCTL_QUERY_NETWORK_INTERFACE_INFO */
#define CONTROL_INTERFACES 0x001401FC

static void interfaces_note(SmbState *smb, const Message *message)
{
	if (message->verb != VERB_IOCTL || message->info_class != CONTROL_INTERFACES ||
		message->entries == 0)
		return;
	smb->interfaces = message->entries;
	smb->interfaces_scale = (message->flags & MESSAGE_RSS) != 0;
}

static void on_reply(Session *session, StreamMessage *m, const Message *message)
{
	SessionFramed *framed = session->framed;
	SmbState *smb = &framed->smb;
	credits_earn(framed, message);
	interfaces_note(smb, message);
	if (message->verb == VERB_NEGOTIATE)
		negotiation_note(smb, message, false);
	if (message->verb == VERB_LOGIN && message->session_id != 0 && smb->session_id == 0)
		smb->session_id = message->session_id;
	Request *request = find_request(session, message);
	if (!request && message->protocol == MESSAGE_SMB2)
		request = find_opaque(session, message);
	if (!request)
		request = expect_request(session, message);
	if (!request || request->phase == REQUEST_ANSWERING) {
		exchange_count_reply(session, message);
		return;
	}
	expect_proven(session, request, m->first_ns);
	exchange_answer(session, request, m, message);
	if (message->verb == VERB_LIST && message->entries_next > 0)
		entry_walk_begin(framed, m, message);
	if (request->is_data || request->op.verb == VERB_COPY)
		request->op.moved_bytes += moved_bytes(session, request, message);
	if (request->is_open)
		answer_open(request, message);
	if (request->op.verb == VERB_CONNECT)
		request->tree_id = message->tree_id;
	if (request->op.verb == VERB_LOGIN && message->session_id != 0)
		request->op.session_id = message->session_id;
	if (request->op.protocol != message->protocol) {
		request->is_foreign = true;
		exchange_count_reply(session, message);
	}
	if (message->protocol == MESSAGE_SMB1 && message->flags & MESSAGE_LAST)
		answer_rest(session, m, message);
}

static void on_interim(Session *session, const StreamMessage *m, const Message *message)
{
	credits_earn(session->framed, message);
	Request *request = find_request(session, message);
	if (!request || request->phase == REQUEST_ANSWERING) {
		exchange_count_reply(session, message);
		return;
	}
	if (message->flags & MESSAGE_MULTIPART) {
		/* a part of the answer: the last one ends it */
		if (request->op.reply_first_ns == 0)
			request->op.reply_first_ns = m->first_ns;
		request->op.entries += message->entries;
		return;
	}
	request->op.credits_granted = (uint16_t)(request->op.credits_granted + message->credits);
	exchange_interim(session, request, m->first_ns);
}

static void on_notice(Session *session, const StreamMessage *m, const Message *message)
{
	if (message->flags & MESSAGE_MULTIPART) {
		/* the rest of a request: the server begins when it has all of it */
		Request *request = request_find(&session->framed->requests, message->request_id,
			message->protocol, message->command, true);
		if (request && request->phase == REQUEST_SENT)
			request->op.request_last_ns = m->first_ns;
		return;
	}
	session->framed->smb.breaks += message->verb == VERB_BREAK;
	CommandCounter *counter =
		session_counter(session->framed, message->protocol, message->command);
	if (counter)
		counter->responses++;
}

/* what a write carries, when the field that says so was cut off */
static void write_length(const Session *session, Side side, Message *message)
{
	uint64_t total = session->framed->streams[side].extent.total;
	if (message->verb == VERB_WRITE && message->length == 0 &&
		message->protocol == MESSAGE_SMB2 && message->count == 1 &&
		total > SMB2_WRITE_OVERHEAD)
		message->length = total - SMB2_WRITE_OVERHEAD;
}

static void smb_message(Session *session, Side side, StreamMessage *m, const Message *message)
{
	SmbState *smb = &session->framed->smb;
	if (smb_secret_open(session, side, message))
		return;
	activity_message(session->framed, message);
	if (message->index == 0)
		smb_file_set_compound(smb, NULL);
	if (message->kind != MESSAGE_OPAQUE) {
		smb->encrypted += (message->flags & MESSAGE_ENCRYPTED) != 0;
		smb->compressed += (message->flags & MESSAGE_COMPRESSED) != 0;
		if (smb->session_id == 0 && message->flags & MESSAGE_ENCRYPTED)
			smb->session_id = message->session_id;
	}
	smb->saw_smb1 |= message->protocol == MESSAGE_SMB1;
	smb->saw_smb2 |= message->protocol == MESSAGE_SMB2;
	smb->saw_netbios |= message->protocol == MESSAGE_NETBIOS;
	smb->saw_binding |= (message->flags & MESSAGE_BINDING) != 0;
	if (!session->turn.is_setup && message->kind != MESSAGE_OPAQUE) {
		smb->messages++;
		smb->signed_messages += (message->flags & MESSAGE_SIGNED) != 0;
	}
	Message filled;
	if (message->kind == MESSAGE_REQUEST && message->flags & MESSAGE_TRUNCATED) {
		filled = *message;
		write_length(session, side, &filled);
		expect_fill(session, &filled);
		message = &filled;
	}
	expect_note(session, side, message, session->framed->streams[side].extent.total);
	switch (message->kind) {
	case MESSAGE_REQUEST:
		on_request(session, m, message);
		break;
	case MESSAGE_REPLY:
		on_reply(session, m, message);
		break;
	case MESSAGE_INTERIM:
		on_interim(session, m, message);
		break;
	case MESSAGE_NOTICE:
		on_notice(session, m, message);
		break;
	case MESSAGE_OPAQUE:
		opaque_message(session, side, m, message);
		break;
	}
}

/* ---- around the listener's reply() */

static bool is_success(const Operation *op)
{
	return op->answered && op->status_class == STATUS_CLASS_OK;
}

static void smb_before_reply(Session *session, Request *request, int64_t now_ns)
{
	if (request->op.verb == VERB_LIST) {
		uint32_t more = entry_walk_take(&session->framed->walk, request->tag);
		request->op.entries += more;
		session->framed->counts.directory_entries += more;
	}
	if (!request->is_open || !request->file || !is_success(&request->op))
		return;
	FileTable *files = &smb_home(session)->files;
	uint64_t owner_id = smb_file_owner(request->op.protocol, request->op.session_id);
	request->file->handle_is_cut = smb_handle_is_cut(request->op.protocol, request->file_id);
	if (request->file->handle_is_cut) {
		SmbState *smb = &smb_home(session)->smb;
		smb->handles_overlap |= file_find(files, request->file_id, owner_id) != NULL;
		smb->handles_cut = true;
	}
	file_list(files, request->file, request->file_id, owner_id, now_ns);
	file_announce(files, request->file);
}

static void smb_after_reply(Session *session, Request *request, int64_t now_ns)
{
	FileTable *files = &smb_home(session)->files;
	SmbTrees *trees = &smb_home(session)->smb.trees;
	const Operation *op = &request->op;
	bool is_ok = is_success(op);
	uint64_t owner_id = smb_file_owner(op->protocol, op->session_id);
	pipe_reply(request);
	if (request->file && request->is_close && op->answered)
		expect_closed(session, request->file, now_ns);
	if (request->file && (request->is_close || (request->is_open && !is_ok)))
		file_close(files, request->file, now_ns);
	if (request->new_name && request->file && is_ok)
		file_set_name(files, request->file, request->new_name);
	if (op->verb == VERB_CONNECT && is_ok && request->share)
		smb_tree_set(trees, request->tree_id, owner_id, request->share);
	if (op->verb == VERB_DISCONNECT && is_ok) {
		file_close_where(files, request->tree_id, false, owner_id, false, now_ns);
		smb_tree_remove(trees, request->tree_id, owner_id);
	}
	if (op->verb == VERB_LOGOFF && is_ok)
		file_close_where(files, 0, true, owner_id, false, now_ns);
}

static void smb_passed(Session *session, Side side, const StreamMessage *m)
{
	(void)session;
	(void)side;
	(void)m;
}

static void smb_end(Session *session, int64_t now_ns)
{
	SmbState *smb = &session->framed->smb;
	if (smb->opaque_file) {
		file_close(&session->framed->files, smb->opaque_file, now_ns);
		file_release(smb->opaque_file);
		smb->opaque_file = NULL;
	}
	smb_file_set_compound(smb, NULL);
	smb_tree_clear(&smb->trees);
}

const SessionKind session_kind_smb = {
	.message = smb_message,
	.before_reply = smb_before_reply,
	.after_reply = smb_after_reply,
	.passed = smb_passed,
	.end = smb_end,
};
