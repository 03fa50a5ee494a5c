/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strings from packets made safe to show: valid UTF-8 without control characters, whatever the
 * bytes are. What cannot be decoded or must not be shown becomes U+FFFD.
 */
#ifndef SLOWCOPY_DISSECTORS_TEXT_H
#define SLOWCOPY_DISSECTORS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * text_from_utf16le: UTF-16LE to UTF-8. An odd last byte is ignored, lone surrogates are replaced,
 * NUL units at the end are dropped.
 * @ret: at least @ret_size bytes, @ret_size >= 1; always NUL-terminated, cut between characters
 * when it does not fit.
 * Returns the bytes written without the NUL.
 */
size_t text_from_utf16le(const uint8_t *data, size_t len, char *ret, size_t ret_size);

/**
 * text_from_bytes: bytes of unknown encoding to UTF-8: kept when they are valid UTF-8, else every
 * byte above 0x7f is read as code page 437, the OEM page that SMB1 clients use by default.
 * Otherwise as text_from_utf16le().
 */
size_t text_from_bytes(const uint8_t *data, size_t len, char *ret, size_t ret_size);

/** text_is_utf8: whether @len bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no
 * surrogates). */
bool text_is_utf8(const uint8_t *data, size_t len);

/**
 * text_is_clean: whether a decoded character may be shown: no control character (C0, DEL, C1), no
 * line or paragraph separator, no mark that changes writing direction, no noncharacter.
 */
bool text_is_clean(uint32_t character);

#endif
