import type { Backend } from "async-request-reply";
import { atomicSubmissions } from "../../src/ports/backend.js";

/** A call to a port that is about to be made. */
export interface PortCall {
  readonly port: "operations" | "idempotency" | "queue" | "submissions";
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Makes the call with `proceed`, or returns its own answer instead. */
export type Interceptor = (call: PortCall, proceed: () => Promise<unknown>) => Promise<unknown>;

/**
 * Wraps a back end so that every call goes through an interceptor. A test can watch calls, refuse them or lose their
 * answers.
 */
export function interceptBackend(backend: Backend, interceptor: Interceptor): Backend {
  const operations = intercepted("operations", backend.operations, interceptor);
  const idempotency = intercepted("idempotency", backend.idempotency, interceptor);
  const queue = intercepted("queue", backend.queue, interceptor);
  const ports = {
    operations,
    idempotency,
    queue,
    check: (): Promise<void> => backend.check(),
    close: (): Promise<void> => backend.close(),
  };
  const atomic = atomicSubmissions(backend);
  if (atomic === undefined) return ports;
  const { record, recordMany, purge } = intercepted("submissions", atomic, interceptor);
  return { ...ports, submissions: { operations, idempotency, record, recordMany, purge } };
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
