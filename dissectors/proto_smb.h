/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS session service, SMB1, SMB2 and SMB3 as one Protocol.
 */
#ifndef SLOWCOPY_DISSECTORS_PROTO_SMB_H
#define SLOWCOPY_DISSECTORS_PROTO_SMB_H

#include "dissectors/protocol.h"

/** protocol_smb: recognised by the magic behind the NetBIOS framing or by a session request. */
extern const Protocol protocol_smb;

#endif
