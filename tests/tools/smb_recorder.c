/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs protocol_smb over bytes and keeps what it emits.
 */
#include "tests/tools/smb_recorder.h"

#include <stdlib.h>
#include <string.h>

#include "dissectors/proto_smb.h"
#include "dissectors/text.h"

static void record(void *user, const Message *message)
{
	SmbRecorder *r = user;
	SmbRecord *to;

	if (r->count == SMB_RECORDER_ROOM)
		return;
	to = &r->records[r->count++];
	to->message = *message;
	to->name[0] = '\0';
	if (message->name_len > 0 && (message->flags & MESSAGE_NAME_UTF16))
		text_from_utf16le(message->name, message->name_len, to->name, sizeof to->name);
	else if (message->name_len > 0)
		text_from_bytes(message->name, message->name_len, to->name, sizeof to->name);
	to->message.name = NULL;
	if (message->negotiation) {
		to->negotiation = *message->negotiation;
		to->message.negotiation = &to->negotiation;
	}
}

static void note_anomaly(void *user, const char *kind)
{
	SmbRecorder *r = user;

	if (r->anomaly_count < SMB_RECORDER_ROOM)
		r->anomalies[r->anomaly_count++] = kind;
}

static void *heap_copy(const uint8_t *data, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (len > 0)
		memcpy(copy, data, len);
	return copy;
}

void smb_recorder_run(
	SmbRecorder *r, const uint8_t *data, size_t len, size_t kept, bool from_client)
{
	MessageSink sink = {record, r, note_anomaly};

	for (size_t at = 0; at < len;) {
		size_t left = len - at, take = left < kept ? left : kept;
		uint8_t *block = heap_copy(data + at, take);
		Extent extent = {0};

		r->status = protocol_smb.frame(&r->state, block, take, from_client, &extent);
		if (r->status == PARSE_OK) {
			uint8_t *staged;
			if (take > extent.want)
				take = extent.want;
			staged = heap_copy(block, take);
			protocol_smb.decode(&r->state, staged, take, &extent, from_client, &sink);
			free(staged);
		}
		free(block);
		if (r->status != PARSE_OK)
			return;
		at = extent.total > len - at ? len : at + (size_t)extent.total;
	}
}

bool smb_recorder_has(const SmbRecorder *r, const char *anomaly)
{
	for (size_t i = 0; i < r->anomaly_count; i++)
		if (strcmp(r->anomalies[i], anomaly) == 0)
			return true;
	return false;
}
