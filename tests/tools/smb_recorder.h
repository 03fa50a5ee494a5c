/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs protocol_smb over bytes as a stream would and keeps what it emits.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_SMB_RECORDER_H
#define SLOWCOPY_TESTS_TOOLS_SMB_RECORDER_H

#include "dissectors/protocol.h"

#define SMB_RECORDER_ROOM 128

/** SmbRecord: a copy of a message; name and negotiation point into it. */
typedef struct SmbRecord {
	Message message;
	MessageNegotiation negotiation;
	char name[512]; /* clean UTF-8 */
} SmbRecord;

typedef struct SmbRecorder {
	DissectorState state;
	size_t count, anomaly_count;
	SmbRecord records[SMB_RECORDER_ROOM];
	const char *anomalies[SMB_RECORDER_ROOM];
	ParseStatus status; /* of the last frame() */
} SmbRecorder;

/**
 * smb_recorder_run: frames and decodes the messages in @data, each from a heap block of exactly the
 * bytes that decode() may read. @kept: bytes of each message that the capture kept, SIZE_MAX for
 * all.
 */
void smb_recorder_run(
	SmbRecorder *r, const uint8_t *data, size_t len, size_t kept, bool from_client);

/** smb_recorder_has: whether @anomaly was reported. */
bool smb_recorder_has(const SmbRecorder *r, const char *anomaly);

#endif
