/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server's own time: see service.h.
 */
#include "analyzer/causes/service.h"

#include "analyzer/constants.h"

/* docs/architecture.md, "Life of a finding". */
#define HIGH_MARGIN 2

static const DataFacts *data_of(const CauseContext *context, OpClass op_class)
{
	if (op_class == OP_READ)
		return &context->unit->read;
	return op_class == OP_WRITE ? &context->unit->write : NULL;
}

Service service_of(const CauseContext *context, OpClass op_class)
{
	const Unit *unit = context->unit;
	Service s = {.count = unit->class_count[op_class],
		.longest_ns = (double)unit->class_longest_ns[op_class],
		.slow = unit->class_slow[op_class],
		.slow_ns = unit->class_slow_ns[op_class]};
	const DataFacts *d = data_of(context, op_class);
	if (d && histogram_count(&d->service_ns) > 0) {
		s.typical_ns = (double)histogram_quantile(&d->service_ns, 0.5);
		s.p95_ns = (double)histogram_quantile(&d->service_ns, 0.95);
		s.best_ns = (double)histogram_quantile(&d->service_ns, 0.1);
		s.bytes = d->requests > 0 ? (double)d->asked / (double)d->requests : 0;
	} else if (s.count > 0) {
		s.typical_ns = (double)unit->class_service_ns[op_class] / (double)s.count;
		s.p95_ns = s.longest_ns;
	}
	return s;
}

double service_quick_ns(OpClass op_class, const Service *service)
{
	bool is_data = op_class == OP_READ || op_class == OP_WRITE;
	return is_data ? (double)SERVICE_QUICK_DATA_NS + service->bytes * SLOW_SERVICE_NS_PER_BYTE
		       : (double)SERVICE_QUICK_METADATA_NS;
}

static bool class_is_slow(const CauseContext *context, OpClass op_class)
{
	Service s = service_of(context, op_class);
	if (s.count == 0)
		return false;
	/* a few long waits among many quick answers: antivirus, a disk that wakes up */
	if (s.slow_ns >= MIN_LOST_NS)
		return true;
	return s.typical_ns > service_quick_ns(op_class, &s);
}

bool service_is_slow(const CauseContext *context, unsigned mask)
{
	for (int i = 0; i < OP_CLASS_COUNT; i++) {
		if (mask & OP_MASK(i) && class_is_slow(context, (OpClass)i))
			return true;
	}
	return false;
}

const char *service_words(const CauseContext *context, const Service *service)
{
	const char *typical = cause_time(context, service->typical_ns);
	if (service->p95_ns > 0 && service->p95_ns < service->longest_ns)
		return cause_printf(context, "%s each, 95 %% within %s, the longest %s", typical,
			cause_time(context, service->p95_ns),
			cause_time(context, service->longest_ns));
	return cause_printf(context, "%s each, the longest %s", typical,
		cause_time(context, service->longest_ns));
}

void service_numbers(FindingDraft *draft, const Service *service)
{
	cause_number(draft, "requests", NUMBER_COUNT, (double)service->count);
	cause_number(draft, "server per request", NUMBER_NS, service->typical_ns);
	if (service->best_ns > 0)
		cause_number(draft, "the fastest tenth within", NUMBER_NS, service->best_ns);
	if (service->p95_ns < service->longest_ns)
		cause_number(draft, "95 % within", NUMBER_NS, service->p95_ns);
	cause_number(draft, "longest", NUMBER_NS, service->longest_ns);
	if (service->slow > 0)
		cause_number(draft, "slower than a disk seek", NUMBER_COUNT, (double)service->slow);
}

Confidence service_confidence(
	const CauseContext *context, const FindingDraft *draft, const Service *service)
{
	if (context->rtt_ns <= 0)
		return CONFIDENCE_LOW;
	if (context->vantage == VANTAGE_UNKNOWN ||
		draft->lost_ns < HIGH_MARGIN * cause_min_lost_ns(context))
		return CONFIDENCE_MEDIUM;
	/* one long answer is an event, not a habit */
	if (service->count < SERVICE_FEW_ANSWERS)
		return CONFIDENCE_MEDIUM;
	/* far from the server a queue on the path looks like a slow answer; beyond a round trip it
	 * would have to be a long one */
	bool is_near = context->vantage == VANTAGE_SERVER;
	return is_near || service->typical_ns > 0.5 * (double)context->rtt_ns ||
			       service->longest_ns > 10 * (double)context->rtt_ns
		       ? CONFIDENCE_HIGH
		       : CONFIDENCE_MEDIUM;
}
