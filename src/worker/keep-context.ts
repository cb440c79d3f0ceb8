import { builtinModule } from "../platform/builtin-module.js";

interface AsyncHooks {
  readonly AsyncResource?: { bind<Call>(call: Call): Call };
}

/**
 * Returns a function that makes calls in the asynchronous context of now, not in that of its caller. Values of an
 * `AsyncLocalStorage` are those of now. On a runtime without `node:async_hooks`, it just makes the calls.
 */
export function keepContext(): <Result>(call: () => Result) => Result {
  const make = <Result>(call: () => Result): Result => call();
  return builtinModule<AsyncHooks>("node:async_hooks")?.AsyncResource?.bind(make) ?? make;
}
