import { type Backend, defineOrders } from "async-request-reply";
import {
  createOperator,
  type Operator,
  type RedrivePreview,
  type RedriveRun,
} from "async-request-reply/operator";

declare const backend: Backend;

const operator = createOperator({ backend, definitions: [defineOrders()] });

void operator.list({ definition: "orders" });
// @ts-expect-error: not a known definition
void operator.list({ definition: "order" });
// @ts-expect-error: not a known problem type
void operator.list({ errorType: "work-faild" });
// @ts-expect-error: a bulk redrive takes no status, because only failed operations run again
void operator.redrive({ status: "failed" });
// @ts-expect-error: a time is a Date
void operator.list({ createdFrom: 1_700_000_000_000 });
// @ts-expect-error: a single redrive takes no rate
void operator.redrive("01900000-0000-7000-8000-000000000000", { perSecond: 1 });

export const run: Promise<RedriveRun> = operator.redrive({ definition: "orders" }, { perSecond: 1 });
export const preview: Promise<RedrivePreview> = operator.redrive({ definition: "orders" }, { dryRun: true });
// @ts-expect-error: a dry run returns no cursor
export const cursor: Promise<RedriveRun> = operator.redrive({ definition: "orders" }, { dryRun: true });

/** A group of failures is a filter. */
export const group: Promise<readonly Promise<RedriveRun>[]> = operator
  .failures({ definition: "orders" })
  .then(({ groups }) =>
    groups.map(({ definition, errorType, message }) => operator.redrive({ definition, errorType, message })),
  );
// @ts-expect-error: only failed operations are grouped
void operator.failures({ status: "failed" });

/** An operator of certain definitions can be used as an operator of any, for example in an admin page. */
export const any: Operator = operator;
