/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DNS format: header, first question, address records.
 */
#include "dissectors/name_service.h"

#include <string.h>

#include "dissectors/cursor.h"

/* RFC 1035 4.1.1 */
#define FLAG_RESPONSE 0x8000U
#define OPCODE_SHIFT 11
#define OPCODE_MASK 0xfU
/* RFC 1002 4.2.1.1 */
#define FLAG_BROADCAST 0x0010
#define RCODE_MASK 0xfU

/* record types: RFC 1035 3.2.2, RFC 3596 2.1, RFC 1002 4.2.1.3 */
#define TYPE_A 1
#define TYPE_AAAA 28
#define TYPE_NB 0x20
#define TYPE_ANY 255

/* RFC 1035 4.1.4: a label that is a pointer */
#define LABEL_POINTER 0xc0U
/* a name of 255 bytes has no more labels, and no sensible one more pointers */
#define MAX_LABELS 128
/* records looked at in one message */
#define MAX_RECORDS 64
/* RFC 1002 4.1: a NetBIOS name is 16 bytes in 32 letters */
#define NETBIOS_LABEL 32

bool name_service_of_port(uint16_t port, NameService *ret)
{
	switch (port) {
	case 53:
		*ret = NAME_SERVICE_DNS;
		return true;
	case 5353:
		*ret = NAME_SERVICE_MDNS;
		return true;
	case 5355:
		*ret = NAME_SERVICE_LLMNR;
		return true;
	case 137:
		*ret = NAME_SERVICE_NBNS;
		return true;
	default:
		return false;
	}
}

const char *name_service_id(NameService service)
{
	switch (service) {
	case NAME_SERVICE_DNS:
		return "dns";
	case NAME_SERVICE_MDNS:
		return "mdns";
	case NAME_SERVICE_LLMNR:
		return "llmnr";
	case NAME_SERVICE_NBNS:
		return "nbns";
	}
	return "dns";
}

typedef struct Name {
	char *text;
	size_t len;
} Name;

static bool name_put(Name *name, uint8_t c)
{
	if (name->len >= NAME_SERVICE_MAX_NAME)
		return false;
	if (c >= 'A' && c <= 'Z')
		c = (uint8_t)(c - 'A' + 'a');
	name->text[name->len++] = c > ' ' && c < 0x7f ? (char)c : '?';
	return true;
}

/* 32 letters A to P, two a byte, padded with blanks, the last byte is a suffix */
static bool netbios_label(Name *name, const uint8_t *label)
{
	uint8_t decoded[15];
	size_t len = 0;
	for (size_t i = 0; i < sizeof decoded; i++) {
		uint8_t high = (uint8_t)(label[2 * i] - 'A'),
			low = (uint8_t)(label[2 * i + 1] - 'A');
		if (high > 15 || low > 15)
			return false;
		decoded[i] = (uint8_t)(high << 4 | low);
		if (decoded[i] != ' ' && decoded[i] != 0)
			len = i + 1;
	}
	for (size_t i = 0; i < len; i++) {
		if (!name_put(name, decoded[i]))
			return false;
	}
	return true;
}

/* a name at @c, which moves behind it; labels joined by dots. Pointers lead strictly backwards. */
static ParseStatus take_name(Cursor *c, bool is_netbios, char text[], size_t *ret_len)
{
	Name name = {text, 0};
	Cursor at = *c;
	size_t limit = c->pos;
	bool has_jumped = false;
	for (int labels = 0; labels < MAX_LABELS; labels++) {
		uint8_t head = cursor_u8(&at);
		if (at.bad)
			return PARSE_SHORT;
		if ((head & LABEL_POINTER) == LABEL_POINTER) {
			size_t target = (size_t)(head & ~LABEL_POINTER) << 8 | cursor_u8(&at);
			if (at.bad)
				return PARSE_SHORT;
			if (!has_jumped)
				c->pos = at.pos;
			has_jumped = true;
			if (target >= limit)
				return PARSE_BAD;
			limit = target;
			at.pos = target;
			continue;
		}
		if (head & LABEL_POINTER)
			return PARSE_BAD;
		if (head == 0) {
			if (!has_jumped)
				c->pos = at.pos;
			text[name.len] = '\0';
			*ret_len = name.len;
			return PARSE_OK;
		}
		const uint8_t *label = cursor_take(&at, head);
		if (!label)
			return PARSE_SHORT;
		if (is_netbios && labels == 0 && head == NETBIOS_LABEL) {
			if (!netbios_label(&name, label))
				return PARSE_BAD;
			continue;
		}
		if (name.len > 0 && !name_put(&name, '.'))
			return PARSE_BAD;
		for (size_t i = 0; i < head; i++) {
			if (!name_put(&name, label[i]))
				return PARSE_BAD;
		}
	}
	return PARSE_BAD;
}

static void add_v4(NameMessage *message, const uint8_t v4[4])
{
	if (message->address_count == NAME_SERVICE_MAX_ADDRESSES)
		return;
	uint8_t *addr = message->addresses[message->address_count++];
	memset(addr, 0, 10);
	memset(addr + 10, 0xff, 2);
	memcpy(addr + 12, v4, 4);
}

static void add_record(NameMessage *message, uint16_t type, Cursor data)
{
	const uint8_t *bytes;
	switch (type) {
	case TYPE_A:
		if (cursor_left(&data) == 4)
			add_v4(message, cursor_take(&data, 4));
		break;
	case TYPE_AAAA:
		if (cursor_left(&data) != 16 ||
			message->address_count == NAME_SERVICE_MAX_ADDRESSES)
			break;
		cursor_bytes(&data, message->addresses[message->address_count++], 16);
		break;
	case TYPE_NB:
		/* RFC 1002 4.2.13: flags and address, repeated */
		while (cursor_left(&data) >= 6) {
			cursor_skip(&data, 2);
			bytes = cursor_take(&data, 4);
			add_v4(message, bytes);
		}
		break;
	default:
		break;
	}
}

/* address records of all sections: multicast DNS puts some behind the answers */
static void take_records(
	Cursor *c, bool is_netbios, unsigned count, bool has_name, NameMessage *message)
{
	for (unsigned i = 0; i < count && i < MAX_RECORDS; i++) {
		char owner[NAME_SERVICE_MAX_NAME + 1];
		size_t owner_len;
		if (take_name(c, is_netbios, owner, &owner_len) != PARSE_OK)
			return;
		uint16_t type = cursor_be16(c);
		cursor_skip(c, 2 + 4);
		uint16_t len = cursor_be16(c);
		Cursor data = cursor_sub(c, len);
		if (c->bad)
			return;
		uint8_t before = message->address_count;
		add_record(message, type, data);
		if (!has_name && message->address_count > before) {
			memcpy(message->name, owner, owner_len + 1);
			message->name_len = (uint8_t)owner_len;
			has_name = true;
		}
	}
}

static bool type_is_address(uint16_t type)
{
	return type == TYPE_A || type == TYPE_AAAA || type == TYPE_NB || type == TYPE_ANY;
}

ParseStatus name_service_parse(
	NameService service, const uint8_t *data, size_t len, NameMessage *ret)
{
	Cursor c = cursor_over(data, len);
	NameMessage message = {.id = cursor_be16(&c)};
	uint16_t flags = cursor_be16(&c);
	uint16_t questions = cursor_be16(&c);
	unsigned records = cursor_be16(&c);
	records += cursor_be16(&c);
	records += cursor_be16(&c);
	if (c.bad)
		return PARSE_SHORT;
	/* RFC 1035 4.1.1, RFC 1002 4.2.1.1: 0 is a query, others register, release, update */
	if ((flags >> OPCODE_SHIFT & OPCODE_MASK) != 0)
		return PARSE_UNKNOWN;
	message.is_answer = flags & FLAG_RESPONSE;
	message.rcode = flags & RCODE_MASK;
	message.is_broadcast = service == NAME_SERVICE_NBNS && flags & FLAG_BROADCAST;
	bool is_netbios = service == NAME_SERVICE_NBNS;
	for (unsigned i = 0; i < questions && i < MAX_RECORDS; i++) {
		char other[NAME_SERVICE_MAX_NAME + 1];
		size_t name_len = 0;
		ParseStatus status =
			take_name(&c, is_netbios, i == 0 ? message.name : other, &name_len);
		if (status != PARSE_OK)
			return status;
		uint16_t type = cursor_be16(&c);
		cursor_skip(&c, 2);
		if (c.bad)
			return PARSE_SHORT;
		if (i == 0)
			message.name_len = (uint8_t)name_len;
		message.asks_address |= type_is_address(type);
	}
	if (questions <= MAX_RECORDS)
		take_records(&c, is_netbios, records, questions > 0, &message);
	if (!message.is_answer)
		message.address_count = 0; /* known answers, RFC 6762 7.1 */
	*ret = message;
	return PARSE_OK;
}
