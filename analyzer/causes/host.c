/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hosts in words: see host.h.
 */
#include "analyzer/causes/host.h"

#include <string.h>

/* Packets leave Windows with a TTL of 128, Linux, BSD and macOS with 64; no path has more than
 * thirty hops. */
#define TTL_WINDOWS 128
#define TTL_UNIX 64
#define TTL_HOPS 30

Side host_other(Side side)
{
	return side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
}

const TcpDirection *host_direction(const CauseContext *context, Side side)
{
	return side == context->bulk ? context->sender : context->receiver;
}

static const char *name_of(const CauseContext *context, Side side)
{
	const char *name = side == SIDE_CLIENT ? context->client_name : context->server_name;
	return name ? name : "";
}

const char *host_label(const CauseContext *context, Side side)
{
	return cause_printf(context, "the %s %s", side == SIDE_CLIENT ? "client" : "server",
		name_of(context, side));
}

const char *host_label_start(const CauseContext *context, Side side)
{
	return cause_printf(context, "The %s %s", side == SIDE_CLIENT ? "client" : "server",
		name_of(context, side));
}

const char *host_blame(Side side)
{
	return side == SIDE_CLIENT ? "CLIENT" : "SERVER";
}

HostKind host_kind(const CauseContext *context, Side side)
{
	const TcpDirection *d = host_direction(context, side);
	if (!d || d->packets == 0)
		return HOST_UNKNOWN;
	if (d->ttl_max <= TTL_UNIX && d->ttl_max >= TTL_UNIX - TTL_HOPS)
		return HOST_UNIX;
	if (d->ttl_max <= TTL_WINDOWS && d->ttl_max >= TTL_WINDOWS - TTL_HOPS)
		return HOST_WINDOWS;
	return HOST_UNKNOWN;
}

bool host_is_samba(const CauseContext *context, Side side)
{
	const SessionStats *session = context->session;
	bool is_smb = session && session->protocol && strncmp(session->protocol, "smb", 3) == 0;
	return is_smb && side == SIDE_SERVER && host_kind(context, side) != HOST_WINDOWS;
}
