/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See security_cost.h.
 */
#include "analyzer/causes/security_cost.h"

#include <math.h>

#include "analyzer/causes/requests.h"
#include "analyzer/causes/service.h"
#include "analyzer/constants.h"

bool security_cost_is_long(const CauseContext *context)
{
	return context->bytes >= SECURITY_MIN_BYTES;
}

bool security_cost_claim(const CauseContext *context, FindingDraft *draft, double *ret_ns_per_mib)
{
	const DataFacts *d = unit_main(context->unit);
	const DataFit *f = &d->fit;
	OpClass c = unit_is_write(context->unit) ? OP_WRITE : OP_READ;
	double dx = f->n * f->xx - f->x * f->x, dy = f->n * f->yy - f->y * f->y;
	if (f->n < REQUESTS_PLENTY || dx <= 0 || dy <= 0 || f->y <= 0 ||
		cause_share(context, context->link_ns) > SECURITY_MAX_LINK_SHARE)
		return false;
	Service s = service_of(context, c);
	if (s.p95_ns >= (double)SLOW_SERVICE_NS + s.bytes * SLOW_SERVICE_NS_PER_BYTE)
		return false;
	double slope = (f->n * f->xy - f->x * f->y) / dx;
	double fit = slope * slope * dx / dy;
	if (slope <= 0 || fit < SECURITY_MIN_FIT || slope * f->x < SECURITY_SLOPE_SHARE * f->y)
		return false;
	*ret_ns_per_mib = slope * 1024 * 1024;
	double share = slope * f->x / f->y;
	return cause_claim_server_part(context, draft, c,
		       (int64_t)((double)context->left_server_ns[c] * share)) > 0;
}
