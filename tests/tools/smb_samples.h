/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One well-formed message of every kind the SMB dissector knows; tests check what it says of them,
 * at every truncation, and fuzzing starts from them.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_SMB_SAMPLES_H
#define SLOWCOPY_TESTS_TOOLS_SMB_SAMPLES_H

#include "tests/tools/smb_builder.h"

typedef struct SmbSample {
	const char *name;
	bool from_client;
	void (*build)(SmbBuilder *b); /* one PDU with its framing */
} SmbSample;

/* Both end with a NULL name. */
extern const SmbSample smb1_samples[];
extern const SmbSample smb2_samples[];

/** smb_sample_find: sample of that name in @samples, NULL when there is none. */
const SmbSample *smb_sample_find(const SmbSample *samples, const char *name);

#endif
