import type { Backend } from "async-request-reply";
import type { SeparateStores } from "async-request-reply/ports";

/** A call to a port that is about to be made. */
export interface PortCall {
  readonly port: "operations" | "idempotency" | "output" | "queue" | "submissions";
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Makes the call with `proceed`, or returns its own answer instead. */
export type Interceptor = (call: PortCall, proceed: () => Promise<unknown>) => Promise<unknown>;

/**
 * Wraps a back end so that every call goes through an interceptor. A test can watch calls, refuse them or lose their
 * answers. Transactions are not shared.
 */
export function interceptBackend(backend: Backend, interceptor: Interceptor): Backend {
  const { record, recordMany, findKey, purge } = intercepted("submissions", backend.submissions, interceptor);
  return {
    operations: intercepted("operations", backend.operations, interceptor),
    submissions: { record, recordMany, findKey, purge },
    ...(backend.output && { output: intercepted("output", backend.output, interceptor) }),
    queue: intercepted("queue", backend.queue, interceptor),
    check: () => backend.check(),
    close: () => backend.close(),
  };
}

/** Does the same for separate stores. */
export function interceptStores(stores: SeparateStores, interceptor: Interceptor): SeparateStores {
  return {
    operations: intercepted("operations", stores.operations, interceptor),
    idempotency: intercepted("idempotency", stores.idempotency, interceptor),
    ...(stores.output && { output: intercepted("output", stores.output, interceptor) }),
    queue: intercepted("queue", stores.queue, interceptor),
  };
}

/** Methods that return something else than a promise. */
const SYNCHRONOUS: ReadonlySet<string | symbol> = new Set(["watch", "watchCancellations", "listen"]);

function intercepted<Port extends object>(
  port: PortCall["port"],
  target: Port,
  interceptor: Interceptor,
): Port {
  return new Proxy(target, {
    get: (_, method) => {
      const member: unknown = Reflect.get(target, method);
      if (typeof member !== "function") return member;
      if (SYNCHRONOUS.has(method)) return member.bind(target);
      return (...args: readonly unknown[]) =>
        interceptor({ port, method: String(method), args }, async () => Reflect.apply(member, target, args));
    },
  });
}
