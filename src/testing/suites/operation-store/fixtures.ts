import type { NewOperation, Operation, Settlement } from "../../../contract/operation.js";
import type { BeginResult, Lease, OperationStore } from "../../../ports/operation-store.js";
import { createSystemRuntime } from "../../../ports/system-runtime.js";
import { equal, isOutcome, ok } from "../../expect.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** Creates operation stores for `operationStoreCases`. */
export type OperationStoreHarness = PortHarness<OperationStore>;

export type OperationStoreCheck = PortCheck<OperationStore, OperationStoreHarness>;

export type Begun = Extract<BeginResult, { readonly outcome: "begun" }>;

/** A lease that is longer than every case. */
export const LONG_MS = 3_600_000;

/** Age at which a store hands out a new operation for the first time. */
export const FIRST_ANNOUNCEMENT_MS = 30_000;

export const ERROR = '{"type":"about:blank","title":"It failed"}';

export const RESULT = '{"done":true}';

type Retry = Extract<Settlement, { readonly to: "retry" }>;

export const COMPLETED: Extract<Settlement, { to: "completed" }> = { to: "completed", result: RESULT };
export const FAILED: Extract<Settlement, { to: "failed" }> = { to: "failed", error: ERROR };
export const RETRIED: Retry = { to: "retry", delayMs: 0, countAttempt: true };
export const GIVEN_BACK: Retry = { to: "retry", delayMs: 0, countAttempt: false };
/** Gives an operation back whose processor has not started. */
export const UNSTARTED: Retry = { ...GIVEN_BACK, started: false };
export const PREPARED: Settlement = { to: "prepared", resource: '{"body":{"status":"pending"}}' };

const runtime = createSystemRuntime();

export const newId = (): string => runtime.newId();
export const newToken = (): string => runtime.newToken();

export function newOperation(members: Partial<NewOperation> = {}): NewOperation {
  return {
    id: newId(),
    tenant: "tenant-1",
    definition: "orders",
    input: '{"itemId":"a"}',
    retentionMs: LONG_MS,
    ...members,
  };
}

/** Creates a pending operation. */
export async function createPending(
  store: OperationStore,
  members: Partial<NewOperation> = {},
): Promise<NewOperation> {
  const operation = newOperation(members);
  equal(await store.create(operation), "created", "creating a new operation");
  return operation;
}

/** Creates an operation that is preparing under a lease, and returns that lease. */
export async function createPreparing(
  store: OperationStore,
  leaseMs: number,
  members: Partial<NewOperation> = {},
): Promise<{ readonly operation: NewOperation; readonly lease: Lease }> {
  const operation = newOperation(members);
  const token = newToken();
  const created = await store.create(operation, { state: "preparing", token, leaseMs });
  equal(created, "created", "creating a new operation as preparing");
  return { operation, lease: { operationId: operation.id, token } };
}

/** Begins an attempt with a new token. */
export async function begin(
  store: OperationStore,
  operationId: string,
  leaseMs: number = LONG_MS,
): Promise<Begun & { readonly lease: Lease }> {
  const lease = { operationId, token: newToken() };
  const begun = await store.beginAttempt(operationId, { token: lease.token, leaseMs });
  return { ...isOutcome(begun, "begun", "beginning an attempt that is due"), lease };
}

/** Tries to begin an attempt with a new token and returns the outcome. */
export async function tryBegin(store: OperationStore, operationId: string): Promise<BeginResult["outcome"]> {
  return (await store.beginAttempt(operationId, { token: newToken(), leaseMs: LONG_MS })).outcome;
}

/** Creates an operation and begins its first attempt. */
export async function createWorking(
  store: OperationStore,
  leaseMs: number = LONG_MS,
  members: Partial<NewOperation> = {},
): Promise<{ readonly operation: NewOperation; readonly lease: Lease }> {
  const operation = await createPending(store, members);
  const { lease } = await begin(store, operation.id, leaseMs);
  return { operation, lease };
}

/** Creates an operation and settles it. */
export async function createEnded(
  store: OperationStore,
  members: Partial<NewOperation> = {},
  settlement: Settlement = COMPLETED,
): Promise<{ readonly operation: NewOperation; readonly lease: Lease }> {
  const working = await createWorking(store, LONG_MS, members);
  isOutcome(await store.settle(working.lease, settlement), "settled", "settling with the current token");
  return working;
}

/** Reads an operation that must exist. */
export async function read(
  store: OperationStore,
  { id, tenant }: Pick<NewOperation, "id" | "tenant">,
): Promise<Operation> {
  const operation = await store.get(id, tenant);
  ok(operation !== undefined, "expected to read an operation that was created");
  return operation as Operation;
}
