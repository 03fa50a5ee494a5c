/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The FTP control connection as a Protocol: one message per command and per reply, TLS records
 * after AUTH. Data connections carry no messages and are not its business. RFC 959, 4217.
 */
#ifndef SLOWCOPY_DISSECTORS_PROTO_FTP_H
#define SLOWCOPY_DISSECTORS_PROTO_FTP_H

#include "dissectors/protocol.h"

/**
 * protocol_ftp: requests carry the verb, the command and (unless it may be a secret) the argument
 * as name; PORT and EPRT also the end point, REST and ALLO the number. Replies carry the code, the
 * end point of 227 and 229, and a size found in their text. The greeting, which nobody asked for,
 * is a MESSAGE_NOTICE, 1xx replies are MESSAGE_INTERIM, only the last line of a long reply emits a
 * message. After a 234 reply, or as soon as a TLS record begins a line, every record is a
 * MESSAGE_OPAQUE.
 */
extern const Protocol protocol_ftp;

#endif
