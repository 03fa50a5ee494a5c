/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * multichannel-unused: one connection carries everything over a full link although both sides could
 * use several. A possibility, not a fault. docs/causes.md, multichannel-unused.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

static uint32_t connections_between(const CauseContext *context)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *f = context->connections[i];
		if (memcmp(f->addr, context->unit->addr, sizeof(f->addr)) == 0 &&
			f->port[SIDE_SERVER] == context->unit->port[SIDE_SERVER])
			count++;
	}
	return count;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const SessionStats *s = context->session;
	if (!s || !s->multichannel || s->binding_seen || !s->dialect || s->dialect[0] != '3' ||
		cause_share(context, context->link_ns) < HEALTHY_LINK_SHARE)
		return false;
	/* one interface that does not spread over processors gains nothing */
	if (s->interfaces < 2 && !s->interfaces_scale)
		return false;
	if (connections_between(context) > 1)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context,
		"The link was full and one connection carried everything, although both sides can "
		"use several (SMB multichannel) and the server lists %u interface%s%s.",
		s->interfaces, s->interfaces == 1 ? "" : "s",
		s->interfaces_scale ? " that spread over processors" : "");
	draft->fix = "SMB multichannel";
	cause_advice(draft, "Windows: `Get-SmbMultichannelConnection` tells why it is not used; "
			    "both hosts need a second path or a network card with RSS.");
	cause_advice(draft, "Samba: `server multi channel support = yes` (the default since 4.15) "
			    "and interfaces with their speed and RSS given; Linux mount: "
			    "multichannel,max_channels=4.");
	cause_number(draft, "server's interfaces", NUMBER_COUNT, s->interfaces);
	cause_evidence(context, draft, context->unit->first_frame, context->unit->account.start_ns,
		"first request of the copy on its only connection");
	return true;
}

const Cause cause_multichannel_unused = {
	.id = "multichannel-unused",
	.title = "One connection although several are possible",
	.explanation =
		"SMB 3 can spread one session over several connections, so that two network cards "
		"or several processor cores share the work. Here one connection did it all.",
	.source = "MS-SMB2 3.2.4.20.10, 2.2.32.5",
	.precedence = 765,
	.conclude = conclude,
	.guide =
		{
			.rule = "Dialect 3, both sides can use several connections, the server "
				"lists two interfaces or more (or one that spreads over "
				"processors), the link was full ({} of the time) and one "
				"connection "
				"carried it all. Always a note.",
			.numbers = {GUIDE_SHARE(HEALTHY_LINK_SHARE)},
			.needs = "The negotiation and the server's list of interfaces.",
			.traps = {"One gigabit port that does not spread over processors gains "
				  "nothing."},
			.confidence = "Medium.",
			.advice = {{"Windows client", "'Get-SmbMultichannelConnection' tells why "
						      "it is not used."},
				{"Samba", "'server multi channel support = yes' (the default since "
					  "4.15), "
					  "interfaces with speed and RSS given."},
				{"Linux client (cifs)", "Mount with multichannel,max_channels=4."}},
			.next_test =
				"Get-SmbMultichannelConnection (Windows) or the mount's "
				"/proc/fs/cifs/DebugData lists the channels that could be used.",
		},
};
