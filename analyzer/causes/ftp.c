/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ftp.h.
 */
#include "analyzer/causes/ftp.h"

#include <string.h>

#define NAMES_MAX 6

bool ftp_is_active(const CauseContext *context)
{
	const ConnectionFacts *f = context->facts;
	return f && f->is_ftp_data && f->tcp.swapped_known &&
	       memcmp(f->addr[SIDE_CLIENT], context->unit->addr[SIDE_SERVER], 16) == 0;
}

void ftp_command_evidence(const CauseContext *context, FindingDraft *draft, uint32_t count)
{
	const Unit *unit = context->unit;
	for (uint32_t i = 0; i < unit->operation_count && i < count; i++) {
		const OperationSample *o = &unit->operations[i];
		cause_evidence(context, draft, o->request_frame, o->request_ns,
			cause_printf(context, "command %s",
				message_command_name(MESSAGE_FTP, o->command)));
	}
}

const char *ftp_command_names(const CauseContext *context, OpClass op_class)
{
	const Unit *unit = context->unit;
	uint16_t seen[NAMES_MAX];
	uint32_t count = 0;
	const char *text = "";
	for (uint32_t i = 0; i < unit->operation_count && count < NAMES_MAX; i++) {
		const OperationSample *o = &unit->operations[i];
		bool is_known = o->op_class != op_class;
		for (uint32_t k = 0; k < count; k++)
			is_known |= seen[k] == o->command;
		if (is_known)
			continue;
		seen[count++] = o->command;
		text = cause_printf(context, "%s%s%s", text, *text ? ", " : "",
			message_command_name(MESSAGE_FTP, o->command));
	}
	return text;
}
