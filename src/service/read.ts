import type { OperationDefinition } from "../contract/definition/definition.js";
import type { Operation } from "../contract/operation.js";
import { checkIdText } from "../contract/option-values.js";
import { toDate, type VisibleOperation } from "../contract/visible-operation.js";
import type { ServiceContext } from "../http/context.js";
import { viewOf } from "../http/operation/status-monitor.js";
import { callsOf, cancelOperation } from "../operations/cancel.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import { knownDefinition, readCall } from "./call.js";
import { findOperation } from "./find-operation.js";

/** Reads an operation without HTTP. See `Service.get`. */
export async function get(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: { readonly tenant?: string } | undefined,
): Promise<VisibleOperation<Date> | undefined> {
  const { name } = knownDefinition(context, definition);
  checkIdText(id, "of a submission");
  const { tenant } = readCall(context, "get", options, { tenant: true });
  const operation = await findOperation(context, name, id, tenant);
  return operation && visible(context, operation);
}

function visible(context: ServiceContext, operation: Operation): VisibleOperation<Date> {
  return viewOf(context, operation, toDate);
}

/** Outcome of a cancellation, and the operation after it. */
export interface AnyCancelResult {
  readonly outcome: CancelOutcome;
  readonly operation?: VisibleOperation<Date>;
}

/** Cancels an operation without HTTP. See `Service.cancel`. */
export async function cancel(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: { readonly tenant?: string } | undefined,
): Promise<AnyCancelResult> {
  const { name } = knownDefinition(context, definition);
  checkIdText(id, "of a submission");
  const { tenant } = readCall(context, "cancel", options, { tenant: true });
  const found = await findOperation(context, name, id, tenant);
  if (found === undefined) return { outcome: "unknown" };
  const { outcome, operation } = await cancelOperation(callsOf(context), found, context);
  return operation === undefined ? { outcome } : { outcome, operation: visible(context, operation) };
}
