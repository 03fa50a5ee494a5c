/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One message of a name service; the first byte chooses which.
 */
#include <stdlib.h>
#include <string.h>

#include "dissectors/name_service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	NameMessage message;
	if (name_service_parse((NameService)(data[0] & 3), data + 1, size - 1, &message) ==
			PARSE_OK &&
		(strlen(message.name) != message.name_len ||
			message.address_count > NAME_SERVICE_MAX_ADDRESSES))
		abort();
	return 0;
}
