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
// @ts-expect-error: the operator has no definition with this name
void operator.list({ definition: "order" });
// @ts-expect-error: there is no problem type with this name
void operator.list({ errorType: "work-faild" });
// @ts-expect-error: a bulk redrive has no state, because only failed operations run again
void operator.redrive({ state: "failed" });
// @ts-expect-error: a redrive of one operation takes no rate
void operator.redrive("01900000-0000-7000-8000-000000000000", { perSecond: 1 });

export const run: Promise<RedriveRun> = operator.redrive({ definition: "orders" }, { perSecond: 1 });
export const preview: Promise<RedrivePreview> = operator.redrive({ definition: "orders" }, { dryRun: true });
// @ts-expect-error: a dry run returns no cursor
export const cursor: Promise<RedriveRun> = operator.redrive({ definition: "orders" }, { dryRun: true });

/** An operator for specific definitions fits code that accepts any operator, such as an admin page. */
export const any: Operator = operator;
