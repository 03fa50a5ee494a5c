/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of commands, whatever the protocol.
 */
#include "dissectors/message.h"

#include "dissectors/ftp_line.h"
#include "dissectors/netbios.h"
#include "dissectors/smb1_header.h"
#include "dissectors/smb2_header.h"

#define UNKNOWN_ROW(high)                                                                          \
	"unknown-" high "0", "unknown-" high "1", "unknown-" high "2", "unknown-" high "3",        \
		"unknown-" high "4", "unknown-" high "5", "unknown-" high "6",                     \
		"unknown-" high "7", "unknown-" high "8", "unknown-" high "9",                     \
		"unknown-" high "a", "unknown-" high "b", "unknown-" high "c",                     \
		"unknown-" high "d", "unknown-" high "e", "unknown-" high "f"

/* Names must be static: every code of one byte has one. */
static const char *const unknown_names[256] = {UNKNOWN_ROW("0"), UNKNOWN_ROW("1"), UNKNOWN_ROW("2"),
	UNKNOWN_ROW("3"), UNKNOWN_ROW("4"), UNKNOWN_ROW("5"), UNKNOWN_ROW("6"), UNKNOWN_ROW("7"),
	UNKNOWN_ROW("8"), UNKNOWN_ROW("9"), UNKNOWN_ROW("a"), UNKNOWN_ROW("b"), UNKNOWN_ROW("c"),
	UNKNOWN_ROW("d"), UNKNOWN_ROW("e"), UNKNOWN_ROW("f")};

const char *message_command_name(MessageProtocol protocol, uint16_t command)
{
	const char *name = NULL;

	switch (protocol) {
	case MESSAGE_NETBIOS:
		name = netbios_command_name(command);
		break;
	case MESSAGE_SMB1:
		name = smb1_command_name(command);
		break;
	case MESSAGE_SMB2:
		name = smb2_command_name(command);
		break;
	case MESSAGE_FTP:
		name = ftp_command_name(command);
		break;
	}
	if (name)
		return name;
	return command < 256 ? unknown_names[command] : "unknown";
}
