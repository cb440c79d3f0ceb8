import type { Backend, OperationStore } from "async-request-reply";
import type { BegunOperation, Operation, RunningLimits } from "async-request-reply/ports";
import { createSystemRuntime } from "../../src/platform/system-runtime.js";

const { newToken } = createSystemRuntime();

/** Options of {@link claimOnce}. */
export interface ClaimOnceOptions {
  readonly definitions?: readonly string[];
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly token?: string;
  readonly repeated?: boolean;
  readonly creates?: boolean;
  readonly limits?: RunningLimits | undefined;
}

/** Claims once. By default up to 10 operations of `orders` begin. Returns those that began. */
export async function claimOnce(
  { operations }: Pick<Backend<never>, "operations">,
  options: ClaimOnceOptions = {},
): Promise<readonly Operation[]> {
  const { definitions = ["orders"], limit = 10, leaseMs = 60_000, token = newToken() } = options;
  const { repeated = false, creates = true, limits } = options;
  const { begun } = await operations.claim({
    token,
    limit,
    repeated,
    definitions: definitions.map((name) => ({
      name,
      slots: limit,
      leaseMs,
      creates,
      limits,
      lanes: true,
      suspects: limit,
    })),
  });
  return begun.map(({ operation }) => operation);
}

/** Claims one operation. Returns its attempt, if one has begun. By default the store is asked for the definition. */
export async function claimOne(
  operations: OperationStore,
  operationId: string,
  options: Pick<ClaimOnceOptions, "limits"> & {
    readonly token: string;
    readonly leaseMs: number;
    readonly definition?: string;
  },
): Promise<BegunOperation | undefined> {
  const { token, leaseMs, limits } = options;
  const name = options.definition ?? (await operations.getMany([operationId]))[0]?.definition ?? "";
  const definition = { name, slots: 1, leaseMs, limits, lanes: true, suspects: 1 };
  const { begun } = await operations.claim({ token, definitions: [definition], limit: 1, operationId });
  return begun[0];
}

/** Claims at once and after each ring, as a worker does, until operations begin. Returns these. */
export async function claimOnRing(
  backend: Pick<Backend<never>, "operations" | "queue">,
  options: ClaimOnceOptions & { readonly signal?: AbortSignal } = {},
): Promise<readonly Operation[]> {
  const { definitions = ["orders"], signal } = options;
  let hasRung = false;
  let wake = (): void => {};
  const onRing = (): void => {
    hasRung = true;
    wake();
  };
  const listening = backend.queue.listen({ onRing, onError: () => {} });
  listening.want(new Set(definitions));
  signal?.addEventListener("abort", onRing);
  try {
    while (signal?.aborted !== true) {
      hasRung = false;
      const begun = await claimOnce(backend, options);
      if (begun.length > 0) return begun;
      const rung = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (!hasRung) await rung;
    }
    return [];
  } finally {
    await listening.close();
  }
}
