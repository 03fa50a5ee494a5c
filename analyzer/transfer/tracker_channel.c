/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions that more than one connection works on: see tracker_channel.h.
 */
#include "analyzer/transfer/tracker_channel.h"

#include <string.h>

#include <glib.h>

/** SmbIdentity: what makes a session one: its id and who gave it. */
typedef struct SmbIdentity {
	uint64_t session_id;
	uint8_t server[16];
	uint16_t input;
} SmbIdentity;

static guint identity_hash(gconstpointer key)
{
	const SmbIdentity *id = key;
	guint hash = (guint)(id->session_id ^ id->session_id >> 32) * 31 + id->input;
	for (unsigned i = 0; i < sizeof(id->server); i++)
		hash = hash * 33 + id->server[i];
	return hash;
}

static gboolean identity_equal(gconstpointer a, gconstpointer b)
{
	const SmbIdentity *x = a, *y = b;
	return x->session_id == y->session_id && x->input == y->input &&
	       memcmp(x->server, y->server, sizeof(x->server)) == 0;
}

GHashTable *tracker_channel_table(void)
{
	return g_hash_table_new(identity_hash, identity_equal);
}

static void forget(GHashTable *sessions, Conversation *conv)
{
	if (!conv->identity)
		return;
	if (g_hash_table_lookup(sessions, conv->identity) == conv)
		g_hash_table_remove(sessions, conv->identity);
	g_free(conv->identity);
	conv->identity = NULL;
}

static void join(Conversation *conv, Conversation *primary)
{
	session_join(conv->session, primary->session);
	conv->primary = primary;
	conv->channel_next = primary->channels;
	primary->channels = conv;
	conv->timeline = primary->timeline;
}

void tracker_channel_login(GHashTable *sessions, Conversation *conv, const Operation *op)
{
	SmbIdentity id = {.session_id = op->session_id, .input = conv->input};
	bool is_smb3 = op->protocol == MESSAGE_SMB2 && op->verb == VERB_LOGIN && op->answered &&
		       op->status_class == STATUS_CLASS_OK && op->session_id != 0;
	if (!is_smb3 || conv->primary || !session_server_guid(conv->session, id.server))
		return;
	Conversation *known = g_hash_table_lookup(sessions, &id);
	if (op->flags & MESSAGE_BINDING) {
		/* with work of its own on its own time it stays alone */
		bool is_fresh = !conv->job && !conv->units && !conv->channels;
		if (known && known != conv && known->session && !known->primary && is_fresh)
			join(conv, known);
		return;
	}
	/* one session a connection: what else logs in on it cannot be joined */
	if (conv->identity || known)
		return;
	conv->identity = g_memdup2(&id, sizeof(id));
	g_hash_table_insert(sessions, conv->identity, conv);
}

void tracker_channel_unit_gone(Conversation *root, const struct Unit *unit)
{
	for (Conversation *c = root->channels; c; c = c->channel_next) {
		if (c->current == unit)
			c->current = NULL;
	}
}

static void leave(Conversation *conv)
{
	for (Conversation **link = &conv->primary->channels; *link; link = &(*link)->channel_next) {
		if (*link == conv) {
			*link = conv->channel_next;
			break;
		}
	}
	conv->primary = NULL;
	conv->channel_next = NULL;
	conv->current = NULL;
	conv->timeline = &conv->own_timeline;
	if (conv->session)
		session_part(conv->session);
}

void tracker_channel_end(GHashTable *sessions, Conversation *conv, int64_t now_ns,
	void (*restart)(Conversation *conv, int64_t now_ns))
{
	forget(sessions, conv);
	if (conv->primary)
		leave(conv);
	while (conv->channels) {
		Conversation *channel = conv->channels;
		leave(channel);
		restart(channel, now_ns);
	}
}
