/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of protocols: a new one is a file and a line here.
 */
#include "dissectors/protocol.h"

#include <stddef.h>

#include "dissectors/proto_ftp.h"
#include "dissectors/proto_smb.h"

const Protocol *const protocol_table[] = {
	&protocol_smb,
	&protocol_ftp,
	NULL,
};
