/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small protocol for tests of sessions and streams. A message is "MG", a kind, a verb, a request
 * id, a body length (two bytes each, big-endian) and the body; decode() wants the first 16 bytes.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_FAKE_PROTOCOL_H
#define SLOWCOPY_TESTS_TOOLS_FAKE_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#include "dissectors/protocol.h"

#define FAKE_HEADER_LEN 8

/** fake_protocol: ports 4000; ids of files are the first body byte. */
extern const Protocol fake_protocol;
extern const Protocol *const fake_table[];

/** fake_message: writes a message with @body_len bytes of body, at most 65535; returns its length.
 * @first: first body byte, the others count up. */
size_t fake_message(uint8_t *out, MessageKind kind, MessageVerb verb, uint16_t id, size_t body_len,
	uint8_t first);

#endif
