import type { OperationDefinition } from "../contract/definition/definition.js";
import { isOperationId, type Operation } from "../contract/operation.js";
import { checkIdText } from "../contract/options.js";
import { toDate, toVisible, type VisibleOperation } from "../contract/visible-operation.js";
import type { ServiceContext } from "../http/context.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import { ringAfterEnd } from "../protocol/bell.js";
import { storeAnswer } from "../submission/store-answer.js";
import { knownDefinition, readCall } from "./call.js";

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
  const operation = await find(context, name, id, tenant);
  return operation && visible(context, operation);
}

async function find(
  context: ServiceContext,
  definition: string,
  id: string,
  tenant: string,
): Promise<Operation | undefined> {
  if (!isOperationId(id)) return undefined;
  const operation = await storeAnswer(context, context.backend.operations.get(id, tenant));
  return operation?.definition === definition && operation.state !== "preparing" ? operation : undefined;
}

function visible({ settings }: ServiceContext, operation: Operation): VisibleOperation<Date> {
  return toVisible(operation, toDate, settings.problemBaseUri);
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
  const found = await find(context, name, id, tenant);
  if (found === undefined) return { outcome: "unknown" };
  const outcome = await storeAnswer(context, context.backend.operations.requestCancel(id, tenant));
  if (outcome === "cancelled") ringAfterEnd(context.bell, found, false);
  const operation = await find(context, name, id, tenant);
  return operation === undefined ? { outcome } : { outcome, operation: visible(context, operation) };
}
