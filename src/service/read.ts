import type { OperationDefinition } from "../contract/definition/definition.js";
import { isOperationId } from "../contract/operation.js";
import { checkIdText } from "../contract/options.js";
import { toDate, toVisible, type VisibleOperation } from "../contract/visible-operation.js";
import type { ServiceContext } from "../http/context.js";
import type { CancelOutcome } from "../ports/operation-store.js";
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
  return find(context, name, id, tenant);
}

async function find(
  context: ServiceContext,
  definition: string,
  id: string,
  tenant: string,
): Promise<VisibleOperation<Date> | undefined> {
  if (!isOperationId(id)) return undefined;
  const operation = await storeAnswer(context, context.backend.operations.get(id, tenant));
  if (operation?.definition !== definition || operation.state === "preparing") return undefined;
  return toVisible(operation, toDate, context.settings.problemBaseUri);
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
  if ((await find(context, name, id, tenant)) === undefined) return { outcome: "unknown" };
  const outcome = await storeAnswer(context, context.backend.operations.requestCancel(id, tenant));
  const operation = await find(context, name, id, tenant);
  return operation === undefined ? { outcome } : { outcome, operation };
}
