import type { OperationDefinition } from "../contract/definition/definition.js";
import { isOperationId, type Operation } from "../contract/operation.js";
import type { ServiceContext } from "../http/context.js";
import { toVisible, type VisibleOperation } from "../http/operation/represent.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import { storeAnswer } from "../submission/store-answer.js";
import { knownDefinition, readCall } from "./call.js";

/** Operation of any definition, as `Service.get` returns it. */
export interface AnyOperationView extends Omit<VisibleOperation, "createdAt" | "finishedAt"> {
  readonly createdAt: Date;
  readonly finishedAt?: Date;
}

/** Reads an operation without HTTP. See `Service.get`. */
export async function get(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: { readonly tenant?: string } | undefined,
): Promise<AnyOperationView | undefined> {
  const { name } = knownDefinition(context, definition);
  const { tenant } = readCall(context, "get", options, { tenant: true });
  return find(context, name, id, tenant);
}

async function find(
  context: ServiceContext,
  definition: string,
  id: string,
  tenant: string,
): Promise<AnyOperationView | undefined> {
  if (!isOperationId(id)) return undefined;
  const operation = await storeAnswer(context, context.backend.operations.get(id, tenant));
  return operation?.definition === definition ? toView(operation, context.settings) : undefined;
}

/** Returns what the status endpoint shows, with dates. */
function toView(operation: Operation, settings: ServiceContext["settings"]): AnyOperationView | undefined {
  if (operation.state === "preparing") return undefined;
  const { createdAt, finishedAt, ...rest } = toVisible(operation, settings);
  const view = { ...rest, createdAt: new Date(createdAt) };
  return finishedAt === undefined ? view : { ...view, finishedAt: new Date(finishedAt) };
}

/** Outcome of a cancellation, and the operation after it. */
export interface AnyCancelResult {
  readonly outcome: CancelOutcome;
  readonly operation?: AnyOperationView;
}

/** Cancels an operation without HTTP. See `Service.cancel`. */
export async function cancel(
  context: ServiceContext,
  definition: OperationDefinition,
  id: string,
  options: { readonly tenant?: string } | undefined,
): Promise<AnyCancelResult> {
  const { name } = knownDefinition(context, definition);
  const { tenant } = readCall(context, "cancel", options, { tenant: true });
  if ((await find(context, name, id, tenant)) === undefined) return { outcome: "unknown" };
  const outcome = await storeAnswer(context, context.backend.operations.requestCancel(id, tenant));
  const operation = await find(context, name, id, tenant);
  return operation === undefined ? { outcome } : { outcome, operation };
}
