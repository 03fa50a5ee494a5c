/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IP addresses as text: see address.h.
 */
#include "analyzer/base/address.h"

#include <arpa/inet.h>
#include <string.h>

bool address_is_v4(const uint8_t addr[16])
{
	static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	return memcmp(addr, prefix, sizeof(prefix)) == 0;
}

const char *address_text(Arena *arena, const uint8_t addr[16])
{
	char text[INET6_ADDRSTRLEN] = "";
	bool is_v4 = address_is_v4(addr);
	inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? addr + 12 : addr, text, sizeof(text));
	return arena_strdup(arena, text);
}
