/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which file a request works on: by its handle, by the open before it in the same message, or one
 * that was opened before the capture began.
 */
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/session/session_private.h"

/* MS-SMB2 2.2.13.1.1: rights that let data be read: FILE_READ_DATA, FILE_EXECUTE, GENERIC_ALL,
 * GENERIC_EXECUTE, GENERIC_READ, MAXIMUM_ALLOWED; SMB1 has the same, MS-CIFS 2.2.4.64.1 */
#define ACCESS_READS 0xB2000021u

/* Whom ids of files and trees belong to. In SMB1 they are the connection's (MS-CIFS 2.2.1.6.4), and
 * an AndX chain that logs in does not know its UID yet. */
uint64_t smb_file_owner(MessageProtocol protocol, uint64_t session_id)
{
	return protocol == MESSAGE_SMB1 ? 0 : session_id;
}

SessionFramed *smb_home(const Session *session)
{
	const Session *primary = session->primary;
	bool has_home = primary && primary->mode == SESSION_FRAMED &&
			primary->framed->kind == &session_kind_smb && !primary->is_ended;
	return has_home ? primary->framed : session->framed;
}

static uint64_t owner(const Message *message)
{
	return smb_file_owner(message->protocol, message->session_id);
}

static bool id_is_all_ones(const uint8_t id[FILE_ID_LEN])
{
	for (int i = 0; i < FILE_ID_LEN; i++) {
		if (id[i] != 0xff)
			return false;
	}
	return true;
}

/* the one file that is open, when the snap length cut off the handle in the answer to its open */
static FileCell *file_without_id(Session *session, const Message *message)
{
	static const uint8_t none[FILE_ID_LEN];
	SessionFramed *home = smb_home(session);
	const SmbState *smb = &home->smb;
	if (message->protocol != MESSAGE_SMB2 || !smb->handles_cut || smb->handles_overlap)
		return NULL;
	FileCell *file = file_find(&home->files, none, owner(message));
	return file && file->handle_is_cut ? file : NULL;
}

static FileCell *file_of_id(Session *session, const StreamMessage *m, const Message *message)
{
	SessionFramed *framed = smb_home(session);
	FileCell *file = file_find(&framed->files, message->file_id, owner(message));
	if (!file)
		file = file_without_id(session, message);
	if (file)
		return file;
	/* a handle from before the capture, or one that had to be forgotten */
	bool is_pipe = (message->flags & MESSAGE_PIPE) != 0;
	if (message->verb == VERB_CLOSE || (message->verb == VERB_IOCTL && !is_pipe) ||
		message->verb == VERB_BREAK)
		return NULL;
	SmbShare *share = smb_tree_find(&framed->smb.trees, message->tree_id, owner(message));
	file = file_new(NULL, share);
	if (!file)
		return NULL;
	file->tree_id = message->tree_id;
	file->ref.opened_ns = m->first_ns;
	file->ref.opened_frame = m->first_frame;
	file->ref.is_directory = message->verb == VERB_LIST;
	file->ref.is_pipe = is_pipe || (share && share->is_pipe);
	file_list(&framed->files, file, message->file_id, owner(message), m->first_ns);
	file_announce(&framed->files, file);
	bool is_gone = file->is_closed;
	file_release(file);
	return is_gone ? NULL : file;
}

bool smb_file_is_named(const Message *message)
{
	return message->flags & MESSAGE_HAS_FILE_ID && !id_is_all_ones(message->file_id);
}

bool smb_handle_is_cut(MessageProtocol protocol, const uint8_t id[FILE_ID_LEN])
{
	static const uint8_t none[FILE_ID_LEN];
	return protocol == MESSAGE_SMB2 && memcmp(id, none, FILE_ID_LEN) == 0;
}

/* the file that later members of a compound or AndX chain mean */
void smb_file_set_compound(SmbState *smb, FileCell *file)
{
	if (file)
		file_hold(file);
	file_release(smb->compound_file);
	smb->compound_file = file;
}

void smb_file_find(
	Session *session, Request *request, const StreamMessage *m, const Message *message)
{
	SmbState *smb = &session->framed->smb;
	FileCell *file = NULL;
	bool is_chained = message->index > 0 &&
			  (message->flags & MESSAGE_RELATED || message->protocol == MESSAGE_SMB1);
	if (smb_file_is_named(message))
		file = file_of_id(session, m, message);
	else if (is_chained)
		file = smb->compound_file;
	else if ((message->flags & MESSAGE_TRUNCATED || session->framed->is_inferring) &&
		 !(message->flags & MESSAGE_HAS_FILE_ID))
		file = file_without_id(session, message);
	if (!file || file->is_closed)
		return;
	exchange_set_file(request, file);
	smb_file_set_compound(smb, file);
}

void smb_file_open(
	Session *session, Request *request, const StreamMessage *m, const Message *message)
{
	SmbState *smb = &session->framed->smb;
	char name[NAMES_MAX_LENGTH + 16];
	exchange_name(message, name, sizeof name);
	SmbShare *share =
		smb_tree_find(&smb_home(session)->smb.trees, message->tree_id, owner(message));
	FileCell *file = file_new(name, share);
	request->is_open = true;
	smb_file_set_compound(smb, file);
	if (!file)
		return;
	file->tree_id = message->tree_id;
	file->for_reading = (message->access & ACCESS_READS) != 0;
	FileRef *ref = &file->ref;
	ref->opened_ns = m->first_ns;
	ref->opened_frame = m->first_frame;
	ref->open_seen = true;
	ref->is_directory = message->flags & MESSAGE_DIRECTORY;
	ref->is_pipe = message->flags & MESSAGE_PIPE || (share && share->is_pipe);
	ref->oplock_asked = message->oplock;
	ref->write_through = message->flags & MESSAGE_WRITE_THROUGH;
	exchange_set_file(request, file);
	file_release(file);
}

void smb_file_by_name(Session *session, Request *request, const Message *message)
{
	char name[NAMES_MAX_LENGTH + 16];
	exchange_name(message, name, sizeof name);
	SmbShare *share =
		smb_tree_find(&smb_home(session)->smb.trees, message->tree_id, owner(message));
	FileCell *file = name[0] ? file_new(name, share) : NULL;
	if (!file)
		return;
	file->is_by_name = true;
	exchange_set_file(request, file);
	file_release(file);
}
