/**
 * Ends with `await using`. The method exists if the runtime has `Symbol.asyncDispose`, and TypeScript knows it with
 * `esnext.disposable` in `lib` or with the types of Node.
 */
export type AwaitUsing = {
  readonly [Name in SymbolConstructor extends { readonly asyncDispose: infer Known extends symbol }
    ? Known
    : never]: () => Promise<void>;
};

/** Returns the method of `await using`, or nothing on a runtime without its symbol. Default: calls `close`. */
export function awaitUsing(end: (this: Closable) => Promise<void> = close): AwaitUsing {
  const { asyncDispose } = Symbol as { readonly asyncDispose?: symbol };
  return (asyncDispose === undefined ? {} : { [asyncDispose]: end }) as AwaitUsing;
}

interface Closable {
  close(): Promise<void>;
}

/** Calls the method of the object, so that a copy with another `close` ends with that. */
function close(this: Closable): Promise<void> {
  return this.close();
}
