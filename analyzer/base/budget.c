/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting of the memory that input can grow. It only counts: the memory itself comes from slabs
 * and arenas.
 */
#include "analyzer/base/budget.h"

void budget_init(Budget *budget, uint64_t total_bytes)
{
	*budget = (Budget){.total_bytes = total_bytes};
}

size_t budget_add_user(Budget *budget, const char *name, uint64_t limit_bytes)
{
	if (budget->user_count == BUDGET_MAX_USERS)
		return BUDGET_MAX_USERS - 1;
	size_t user = budget->user_count++;
	budget->users[user] = (BudgetUser){.name = name, .limit_bytes = limit_bytes};
	return user;
}

uint64_t budget_share(const Budget *budget, uint32_t parts, uint32_t whole)
{
	return budget->total_bytes / whole * parts + budget->total_bytes % whole * parts / whole;
}

bool budget_take(Budget *budget, size_t user, uint64_t bytes)
{
	BudgetUser *u = &budget->users[user];
	if (bytes > u->limit_bytes - u->used_bytes ||
		bytes > budget->total_bytes - budget->used_bytes) {
		u->refused++;
		return false;
	}
	u->used_bytes += bytes;
	budget->used_bytes += bytes;
	if (u->used_bytes > u->peak_bytes)
		u->peak_bytes = u->used_bytes;
	if (budget->used_bytes > budget->peak_bytes)
		budget->peak_bytes = budget->used_bytes;
	return true;
}

void budget_give(Budget *budget, size_t user, uint64_t bytes)
{
	BudgetUser *u = &budget->users[user];
	if (bytes > u->used_bytes)
		bytes = u->used_bytes;
	u->used_bytes -= bytes;
	budget->used_bytes -= bytes;
}

void budget_refuse(Budget *budget, size_t user, uint64_t times)
{
	budget->users[user].refused += times;
}
