/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One number of bytes for everything that input can grow: who may use how much of it, who used it,
 * and what was refused. Refusing is normal; reports print it under "limits reached".
 */
#ifndef SLOWCOPY_ANALYZER_BASE_BUDGET_H
#define SLOWCOPY_ANALYZER_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Purposes are named in code, not by input: flows, segments, requests, files, names… */
#define BUDGET_MAX_USERS 32

typedef struct BudgetUser {
	const char *name; /* static string, as reports print it */
	uint64_t limit_bytes, used_bytes, peak_bytes;
	uint64_t refused; /* times something was refused or thrown away for lack of room */
} BudgetUser;

typedef struct Budget {
	uint64_t total_bytes, used_bytes, peak_bytes;
	size_t user_count;
	BudgetUser users[BUDGET_MAX_USERS];
} Budget;

/** budget_init: a budget of @total_bytes without users. */
void budget_init(Budget *budget, uint64_t total_bytes);

/**
 * budget_add_user: a new purpose called @name (static string) that may use at most @limit_bytes,
 * and never more than what is left of the total. Returns its number. At most BUDGET_MAX_USERS: the
 * last one is shared by all beyond.
 */
size_t budget_add_user(Budget *budget, const char *name, uint64_t limit_bytes);

/** budget_share: @parts of @whole of the total, in bytes, without overflow; @whole > 0. */
uint64_t budget_share(const Budget *budget, uint32_t parts, uint32_t whole);

/** budget_take: asks for @bytes for @user. False, and counted, when its limit or the total would be
 * exceeded. */
bool budget_take(Budget *budget, size_t user, uint64_t bytes);

/** budget_give: gives back @bytes that @user took. */
void budget_give(Budget *budget, size_t user, uint64_t bytes);

/** budget_refuse: counts @times refusals that a cap of its own made for @user. */
void budget_refuse(Budget *budget, size_t user, uint64_t times);

#endif
