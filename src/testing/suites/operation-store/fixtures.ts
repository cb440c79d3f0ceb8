import type { NewOperation, Operation, Settlement } from "../../../contract/operation.js";
import { createSystemRuntime } from "../../../platform/system-runtime.js";
import type { BegunOperation, Claimed, ClaimedDefinition, ClaimRequest } from "../../../ports/claim.js";
import type { Lease, OperationStore } from "../../../ports/operation-store.js";
import { equal, isOutcome, ok } from "../../expect.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** Creates operation stores for `operationStoreCases`. */
export type OperationStoreHarness = PortHarness<OperationStore>;

export type OperationStoreCheck = PortCheck<OperationStore, OperationStoreHarness>;

/** An attempt, with its lease. */
export type Begun = BegunOperation & { readonly lease: Lease };

/** Members of a claim. Default: all slots that it may need, of the definition `orders`, for everything. */
export type Wanted = Partial<ClaimedDefinition> & Partial<Omit<ClaimRequest, "definitions">>;

/** More than any case creates. */
const MANY = 100;

/** A lease that is longer than every case. */
export const LONG_MS = 3_600_000;

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

/** Creates pending operations, one after the other. */
export async function createSome(
  store: OperationStore,
  count: number,
  members: Partial<NewOperation> = {},
): Promise<readonly NewOperation[]> {
  const created: NewOperation[] = [];
  for (let index = 0; index < count; index += 1) created.push(await createPending(store, members));
  return created;
}

/** Creates pending operations, and returns their ids in the order of {@link idsOf}. */
export async function createIds(...args: Parameters<typeof createSome>): Promise<readonly string[]> {
  return (await createSome(...args)).map(({ id }) => id).sort();
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

/** Claims work of one definition. */
export function claim(
  store: OperationStore,
  { limit = MANY, token = newToken(), repeated, operationId, ...members }: Wanted = {},
): Promise<Claimed> {
  const definition = {
    name: "orders",
    slots: MANY,
    leaseMs: LONG_MS,
    suspects: MANY,
    lanes: true,
    ...members,
  };
  const only = operationId === undefined ? {} : { operationId };
  return store.claim({ token, limit, definitions: [definition], ...(repeated && { repeated }), ...only });
}

/** Returns the ids of what began, sorted. */
export function idsOf({ begun }: Pick<Claimed, "begun">): readonly string[] {
  return begun.map(({ operation }) => operation.id).sort();
}

/** Returns the lease of an operation that a claim with this token began. */
export function leaseOf(operationId: string, token: string): Lease {
  return { operationId, token };
}

async function tryBegin(
  store: OperationStore,
  operationId: string,
  { token = newToken(), ...wanted }: Wanted = {},
): Promise<Begun | undefined> {
  const { begun } = await claim(store, { slots: 1, suspects: 1, limit: 1, operationId, token, ...wanted });
  return begun[0] && { ...begun[0], lease: leaseOf(operationId, token) };
}

/** Returns whether an attempt of an operation begins. */
export async function begins(store: OperationStore, operationId: string, wanted?: Wanted): Promise<boolean> {
  return (await tryBegin(store, operationId, wanted)) !== undefined;
}

/** Begins an attempt of an operation that is due. */
export async function begin(store: OperationStore, operationId: string, wanted?: Wanted): Promise<Begun> {
  const begun = await tryBegin(store, operationId, wanted);
  ok(begun !== undefined, "expected an attempt to begin");
  return begun as Begun;
}

/** Creates an operation and begins its first attempt. */
export async function createWorking(
  store: OperationStore,
  leaseMs: number = LONG_MS,
  members: Partial<NewOperation> = {},
): Promise<{ readonly operation: NewOperation; readonly lease: Lease }> {
  const operation = await createPending(store, members);
  const { lease } = await begin(store, operation.id, { name: operation.definition, leaseMs });
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
