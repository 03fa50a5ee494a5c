/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shares by tree id. A client has a handful of trees, so a row is found by looking at all of them,
 * the youngest first.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_private.h"

#define FIRST_TREES 2

static SmbTree *tree_row(const SmbTrees *trees, uint32_t tree_id, uint64_t session_id)
{
	for (uint32_t i = trees->count; i > 0; i--) {
		SmbTree *row = &trees->rows[i - 1];
		if (row->tree_id == tree_id && row->session_id == session_id)
			return row;
	}
	return NULL;
}

SmbShare *smb_tree_find(const SmbTrees *trees, uint32_t tree_id, uint64_t session_id)
{
	const SmbTree *row = tree_row(trees, tree_id, session_id);
	return row ? row->share : NULL;
}

void smb_tree_remove(SmbTrees *trees, uint32_t tree_id, uint64_t session_id)
{
	SmbTree *row = tree_row(trees, tree_id, session_id);
	if (!row)
		return;
	file_share_drop(row->share);
	trees->count--;
	memmove(row, row + 1, (size_t)(trees->rows + trees->count - row) * sizeof *row);
}

/* Most sessions connect one share or two. */
static bool rows_grow(SmbTrees *trees)
{
	uint32_t room = trees->room ? trees->room * 2 : FIRST_TREES;
	if (room > trees->limit)
		room = trees->limit;
	SmbTree *rows = realloc(trees->rows, room * sizeof *rows);
	if (!rows)
		return false;
	trees->rows = rows;
	trees->room = room;
	return true;
}

void smb_tree_set(SmbTrees *trees, uint32_t tree_id, uint64_t session_id, SmbShare *share)
{
	smb_tree_remove(trees, tree_id, session_id);
	if (trees->count == trees->limit)
		smb_tree_remove(trees, trees->rows[0].tree_id, trees->rows[0].session_id);
	if (trees->count == trees->room && !rows_grow(trees))
		return;
	share->refs++;
	trees->rows[trees->count++] = (SmbTree){tree_id, session_id, share};
}

void smb_tree_clear(SmbTrees *trees)
{
	for (uint32_t i = 0; i < trees->count; i++)
		file_share_drop(trees->rows[i].share);
	free(trees->rows);
	trees->rows = NULL;
	trees->count = trees->room = 0;
}
