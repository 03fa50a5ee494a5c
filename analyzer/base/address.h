/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IP addresses as text, for results.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_ADDRESS_H
#define SLOWCOPY_ANALYZER_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/arena.h"

/** address_text: IPv4 (given as ::ffff:a.b.c.d) or IPv6 in RFC 5952 form; lives in @arena. */
const char *address_text(Arena *arena, const uint8_t addr[16]);

/** address_is_v4: whether @addr is a mapped IPv4 address. */
bool address_is_v4(const uint8_t addr[16]);

#endif
