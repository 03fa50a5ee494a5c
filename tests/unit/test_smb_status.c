/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status values: names, classes, DOS errors.
 */
#include "dissectors/smb_status.h"

#include <string.h>

#include <criterion/criterion.h>

Test(smb_status, classes_and_names)
{
	static const struct {
		uint32_t status;
		StatusClass status_class;
		const char *name;
	} rows[] = {
		{0, STATUS_CLASS_OK, "STATUS_SUCCESS"},
		{0x00000103, STATUS_CLASS_PENDING, "STATUS_PENDING"},
		{0x0000010C, STATUS_CLASS_OK, "STATUS_NOTIFY_ENUM_DIR"},
		{0x40000000, STATUS_CLASS_OK, NULL},
		{0x80000005, STATUS_CLASS_MORE, "STATUS_BUFFER_OVERFLOW"},
		{0x80000006, STATUS_CLASS_MORE, "STATUS_NO_MORE_FILES"},
		{0x8000FFFF, STATUS_CLASS_ERROR, NULL},
		{0xC000000F, STATUS_CLASS_NOT_FOUND, "STATUS_NO_SUCH_FILE"},
		{0xC0000011, STATUS_CLASS_END, "STATUS_END_OF_FILE"},
		{0xC0000016, STATUS_CLASS_MORE, "STATUS_MORE_PROCESSING_REQUIRED"},
		{0xC0000022, STATUS_CLASS_DENIED, "STATUS_ACCESS_DENIED"},
		{0xC0000034, STATUS_CLASS_NOT_FOUND, "STATUS_OBJECT_NAME_NOT_FOUND"},
		{0xC000003A, STATUS_CLASS_NOT_FOUND, "STATUS_OBJECT_PATH_NOT_FOUND"},
		{0xC0000043, STATUS_CLASS_LOCKED, "STATUS_SHARING_VIOLATION"},
		{0xC0000054, STATUS_CLASS_LOCKED, "STATUS_FILE_LOCK_CONFLICT"},
		{0xC0000055, STATUS_CLASS_LOCKED, "STATUS_LOCK_NOT_GRANTED"},
		{0xC000006D, STATUS_CLASS_DENIED, "STATUS_LOGON_FAILURE"},
		{0xC00000BB, STATUS_CLASS_ERROR, "STATUS_NOT_SUPPORTED"},
		{0xC0FFFFFF, STATUS_CLASS_ERROR, NULL},
		{0xFFFFFFFF, STATUS_CLASS_ERROR, NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *name = smb_status_name(rows[i].status);
		cr_expect_eq(smb_status_class(rows[i].status), rows[i].status_class, "%08x",
			rows[i].status);
		cr_expect_eq(name == NULL, rows[i].name == NULL, "%08x", rows[i].status);
		if (name && rows[i].name)
			cr_expect_str_eq(name, rows[i].name);
	}
}

/* every name in the table is found, which it is only when the table is sorted */
Test(smb_status, table_is_sorted)
{
	size_t found = 0;

	for (uint32_t high = 0; high < 4; high++)
		for (uint32_t low = 0; low < 0x1000; low++)
			found += smb_status_name(high << 30 | low) != NULL;
	cr_expect_eq(found, 153, "%zu", found);
	cr_expect_str_eq(smb_status_name(0xC05D0000), "STATUS_SMB_BAD_CLUSTER_DIALECT");
}

Test(smb_status, dos_errors)
{
	cr_expect_eq(smb_status_from_dos(0, 77), 0);
	cr_expect_eq(smb_status_from_dos(1, 2), 0xC0000034);
	cr_expect_eq(smb_status_from_dos(1, 18), 0x80000006);
	cr_expect_eq(smb_status_from_dos(2, 2), 0xC000006A);
	cr_expect_eq(smb_status_from_dos(3, 39), 0xC000007F);
	cr_expect_eq(smb_status_from_dos(1, 9999), SMB_STATUS_UNSUCCESSFUL);
	cr_expect_eq(smb_status_from_dos(0xFF, 1), SMB_STATUS_UNSUCCESSFUL);
	for (unsigned error_class = 1; error_class < 4; error_class++)
		for (uint16_t code = 0; code < 3000; code++) {
			uint32_t status = smb_status_from_dos((uint8_t)error_class, code);
			cr_assert(status >> 31, "an error is no success");
			cr_assert_not_null(smb_status_name(status), "%u/%u", error_class, code);
		}
}
