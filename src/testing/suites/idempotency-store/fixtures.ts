import { createSystemRuntime } from "../../../platform/system-runtime.js";
import type { BindResult, IdempotencyStore, KeyBinding } from "../../../ports/idempotency-store.js";
import { isOutcome } from "../../expect.js";
import type { PortCheck, PortHarness } from "../port-case.js";

export type IdempotencyStoreCheck = PortCheck<IdempotencyStore, PortHarness<IdempotencyStore>>;

const runtime = createSystemRuntime();

/** Builds a binding of one key by a new operation, with the given members replaced. */
export function newBinding(members: Partial<KeyBinding> = {}): KeyBinding {
  const operationId = runtime.newId();
  return {
    tenant: "tenant-1",
    definition: "orders",
    key: "key-1",
    fingerprint: "1:abc",
    operationId,
    ...members,
  };
}

/** Binds a key that must be free. */
export async function bound(store: IdempotencyStore, members: Partial<KeyBinding> = {}): Promise<KeyBinding> {
  const binding = newBinding(members);
  isOutcome(await store.bind(binding), "bound", `binding the free key ${JSON.stringify(binding.key)}`);
  return binding;
}

/** Expected result of a binding that comes too late. */
export function boundTo({ operationId, fingerprint }: KeyBinding): BindResult {
  return { outcome: "exists", operationId, fingerprint };
}
