import { builtinModule } from "../../platform/builtin-module.js";

interface AsyncHooks {
  readonly AsyncLocalStorage?: new <Store>() => {
    getStore(): Store | undefined;
    run<Result>(store: Store, call: () => Result): Result;
  };
}

/** Calls in a transaction that wait for each other. */
interface Line {
  readonly tx: unknown;
  last: Promise<unknown>;
  /** Line of the call that makes these calls. */
  readonly outer?: Line | undefined;
}

/**
 * Creates a function that makes one call at a time in each transaction. If a call rolls back to its savepoint, it would also
 * roll back calls that ran meanwhile. A call within a call does not wait for the outer one. On a runtime without
 * `node:async_hooks`, these cannot be told apart, so no call waits.
 */
export function createTurnsIn(): <Result>(tx: unknown, call: () => Promise<Result>) => Promise<Result> {
  const { AsyncLocalStorage } = builtinModule<AsyncHooks>("node:async_hooks") ?? {};
  if (AsyncLocalStorage === undefined) return (_, call) => call();
  const current = new AsyncLocalStorage<Line>();
  const lines = new WeakMap<object, Line>();

  function lineOf(tx: object): Line {
    for (let line = current.getStore(); line !== undefined; line = line.outer)
      if (line.tx === tx) return line;
    const line = lines.get(tx) ?? { tx, last: Promise.resolve() };
    lines.set(tx, line);
    return line;
  }

  return (tx, call) => {
    // The call refuses what is no transaction.
    if (typeof tx !== "object" || tx === null) return call();
    const line = lineOf(tx);
    const own: Line = { tx, last: Promise.resolve(), outer: current.getStore() };
    const result = line.last.then(() => current.run(own, call));
    line.last = result.catch(() => {});
    return result;
  };
}
