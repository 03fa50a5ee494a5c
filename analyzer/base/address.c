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

/* As inet_ntop() writes it, which goes through printf(). */
static void v4_text(const uint8_t addr[4], char *text)
{
	for (int i = 0; i < 4; i++) {
		unsigned byte = addr[i];
		if (byte >= 100)
			*text++ = (char)('0' + byte / 100);
		if (byte >= 10)
			*text++ = (char)('0' + byte / 10 % 10);
		*text++ = (char)('0' + byte % 10);
		*text++ = i < 3 ? '.' : '\0';
	}
}

const char *address_text(Arena *arena, const uint8_t addr[16])
{
	char text[INET6_ADDRSTRLEN] = "";
	if (address_is_v4(addr))
		v4_text(addr + 12, text);
	else
		inet_ntop(AF_INET6, addr, text, sizeof(text));
	return arena_strdup(arena, text);
}
