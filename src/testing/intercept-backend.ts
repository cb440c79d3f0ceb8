import { atomicSubmissions, type Backend } from "../ports/backend.js";

/** A call of a port that is about to be made. */
export interface PortCall {
  readonly port: "operations" | "idempotency" | "queue" | "submissions";
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Makes the call by `proceed`, or answers in its place. */
export type Interceptor = (call: PortCall, proceed: () => Promise<unknown>) => Promise<unknown>;

/** A back end whose calls go through an interceptor, so that a test can watch them, lose their answers or refuse them. */
export function interceptBackend(backend: Backend, interceptor: Interceptor): Backend {
  const operations = intercepted("operations", backend.operations, interceptor);
  const idempotency = intercepted("idempotency", backend.idempotency, interceptor);
  const queue = intercepted("queue", backend.queue, interceptor);
  const close = (): Promise<void> => backend.close();
  const atomic = atomicSubmissions(backend);
  if (atomic === undefined) return { operations, idempotency, queue, close };
  const { record, purge } = intercepted("submissions", atomic, interceptor);
  return { operations, idempotency, queue, submissions: { operations, idempotency, record, purge }, close };
}

function intercepted<Port extends object>(
  port: PortCall["port"],
  target: Port,
  interceptor: Interceptor,
): Port {
  return new Proxy(target, {
    get: (_, method) => {
      const member: unknown = Reflect.get(target, method);
      // `watch` alone answers at once, with a function.
      if (typeof member !== "function" || method === "watch") return member;
      return (...args: readonly unknown[]) =>
        interceptor({ port, method: String(method), args }, async () => Reflect.apply(member, target, args));
    },
  });
}
