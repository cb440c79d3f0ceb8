import type { Backend } from "async-request-reply";
import type { Lease, NewOperation, Submission } from "async-request-reply/ports";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOne } from "../../support/claims.js";
import type { Opened, Server } from "../../support/postgres/server.js";

export const { newId, newToken } = createSystemRuntime();

/** Returns an operation of tenant `a`. */
export function newOperation(members: Partial<NewOperation> = {}): NewOperation {
  return { id: newId(), tenant: "a", definition: "orders", input: "1", retentionMs: 60_000, ...members };
}

export function newSubmission(members: Partial<NewOperation> = {}, fingerprint = "1:a"): Submission {
  return { operation: newOperation(members), fingerprint };
}

type Operations = Pick<Backend<never>, "operations">;

/** Begins the attempt of an operation. */
export async function begin(
  { operations }: Operations,
  operationId: string,
  leaseMs = 60_000,
): Promise<Lease> {
  const lease = { operationId, token: newToken() };
  await claimOne(operations, operationId, { ...lease, leaseMs });
  return lease;
}

/** Creates an operation and begins its attempt. */
export async function begun(backend: Operations, members: Partial<NewOperation> = {}): Promise<Lease> {
  const operation = newOperation(members);
  await backend.operations.create(operation);
  return begin(backend, operation.id);
}

/** Opens a back end whose schema exists. */
export async function openMigrated(server: Server, options?: Parameters<Server["open"]>[0]): Promise<Opened> {
  const backend = server.open(options);
  await backend.migrate();
  return backend;
}
