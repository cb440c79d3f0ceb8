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
// @ts-expect-error: it knows the names of its definitions
void operator.list({ definition: "order" });
// @ts-expect-error: and those of problem types
void operator.list({ errorType: "work-faild" });
// @ts-expect-error: a bulk redrive has no state, because only failed operations run again
void operator.redrive({ state: "failed" });
// @ts-expect-error: one operation has no rate
void operator.redrive("01900000-0000-7000-8000-000000000000", { perSecond: 1 });

export const run: Promise<RedriveRun> = operator.redrive({ definition: "orders" }, { perSecond: 1 });
export const preview: Promise<RedrivePreview> = operator.redrive({ definition: "orders" }, { dryRun: true });
// @ts-expect-error: a dry run has no cursor to go on from
export const cursor: Promise<RedriveRun> = operator.redrive({ definition: "orders" }, { dryRun: true });

/** An operator of certain definitions fits where any will do, such as an admin page. */
export const any: Operator = operator;
