/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encrypted messages of a session whose key the user gave: opened, and handed on as what is inside.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_SMB_SECRET_H
#define SLOWCOPY_ANALYZER_SESSION_SMB_SECRET_H

#include "analyzer/session/session_private.h"

/**
 * smb_secret_open: an encrypted @message is decrypted and the messages inside are given to the
 * session instead; of messages in clear it learns what the keys are made of.
 * Returns true when @message was opened and needs no further handling. Only the bytes staged are
 * decrypted: of a compound that is longer the members at its end stay hidden.
 */
bool smb_secret_open(Session *session, Side side, const Message *message);

#endif
