/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 messages that belong to no connection, counted by what carried them and by command. Nobody
 * waits for most of them, so they have no times.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_DATAGRAMS_H
#define SLOWCOPY_ANALYZER_SESSION_DATAGRAMS_H

#include "analyzer/session/session_stats.h"
#include "dissectors/packet.h"
#include "dissectors/smb_datagram.h"

/** Datagrams: counters of one input; a fixed size. */
typedef struct Datagrams Datagrams;

/** datagrams_new: NULL when memory is refused. Ownership: datagrams_free(). */
Datagrams *datagrams_new(void);

/** datagrams_push: counts what @packet carries; false when that is no SMB1 message. */
bool datagrams_push(Datagrams *datagrams, const Packet *packet);

/** datagrams_stats: what @kind carried, as a session; false when nothing. @ret's commands live as
 * long as @datagrams, or until the next call for @kind. */
bool datagrams_stats(Datagrams *datagrams, SmbDatagramKind kind, SessionStats *ret);

/** datagrams_free: NULL is allowed. */
void datagrams_free(Datagrams *datagrams);

#endif
