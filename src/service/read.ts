import type { OperationDefinition } from "../contract/definition/definition.js";
import { parseStored } from "../contract/json/json-text.js";
import { isOperationId, type Operation } from "../contract/operation.js";
import { type Problem, shownProblem } from "../contract/problem.js";
import type { ServiceContext } from "../http/context.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import { storeAnswer } from "../submission/store-answer.js";
import { knownDefinition, readCall } from "./call.js";

/** Operation of any definition, as `Service.get` returns it. */
export interface AnyOperationView {
  readonly operationId: string;
  readonly definition: string;
  readonly status: "pending" | "completed" | "failed";
  readonly attempt: number;
  readonly createdAt: Date;
  readonly finishedAt?: Date;
  readonly cancelRequested?: true;
  readonly progress?: unknown;
  readonly result?: unknown;
  readonly error?: Problem;
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
  return operation?.definition === definition
    ? toView(operation, context.settings.problemBaseUri)
    : undefined;
}

function toView(operation: Operation, problemBaseUri: string): AnyOperationView | undefined {
  const { id: operationId, definition, state, attempt, createdAt, settledAt } = operation;
  if (state === "preparing") return undefined;
  const { progress, result, error } = operation;
  return {
    operationId,
    definition,
    status: state,
    attempt,
    createdAt: new Date(createdAt),
    ...(settledAt === undefined ? {} : { finishedAt: new Date(settledAt) }),
    ...(state !== "pending" || operation.cancelRequested !== true ? {} : { cancelRequested: true }),
    ...(state !== "pending" || progress === undefined ? {} : { progress: parseStored(progress) }),
    ...(result === undefined ? {} : { result: parseStored(result) }),
    ...(error === undefined ? {} : { error: shownProblem(parseStored(error), problemBaseUri) }),
  };
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
