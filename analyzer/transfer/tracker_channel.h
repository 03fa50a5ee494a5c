/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB3 multichannel: connections that join the session of another (MS-SMB2 3.2.4.2.3.1, a session
 * set-up with the binding flag) share its files, its job and its timeline, so that a file moved
 * over several connections is one transfer.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_TRACKER_CHANNEL_H
#define SLOWCOPY_ANALYZER_TRANSFER_TRACKER_CHANNEL_H

#include <glib.h>

#include "analyzer/transfer/conversation.h"

/** tracker_channel_table: sessions by server and id; g_hash_table_unref(). */
GHashTable *tracker_channel_table(void);

/** tracker_channel_login: the log-in @op of @conv was answered: its session can be joined from now
 * on, or it joins another's. */
void tracker_channel_login(GHashTable *sessions, Conversation *conv, const Operation *op);

/** tracker_channel_root: whose files and job a connection works on. */
static inline Conversation *tracker_channel_root(Conversation *conv)
{
	return conv->primary ? conv->primary : conv;
}

/** tracker_channel_unit_gone: no channel of @root may refer to @unit any more. */
void tracker_channel_unit_gone(Conversation *root, const struct Unit *unit);

/** tracker_channel_end: @conv ends at @now_ns: it leaves the session it joined; those that joined
 * its go on by themselves. @restart makes the timeline of such a one begin anew. */
void tracker_channel_end(GHashTable *sessions, Conversation *conv, int64_t now_ns,
	void (*restart)(Conversation *conv, int64_t now_ns));

#endif
