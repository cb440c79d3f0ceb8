import { type Deferred, deferred } from "./deferred.js";

/** Splits a call that runs a function of the user, so that other events can happen while that function runs. */
export class Suspended<Value, Result> {
  readonly #run: (work: () => Promise<Value>) => Promise<Result>;
  readonly #work: Deferred<Value> = deferred();
  #running: Promise<Result> | undefined;

  constructor(run: (work: () => Promise<Value>) => Promise<Result>) {
    this.#run = run;
  }

  /** Begins the call. Resolves when the user's function is called, or when the call ends without calling it. */
  start(): Promise<"called" | Result> {
    return new Promise((resolve, reject) => {
      this.#running = this.#run(() => {
        resolve("called");
        return this.#work.promise;
      });
      this.#running.then(resolve, reject);
    });
  }

  /** Lets the user's function return. Resolves with the result of the call. */
  resume(value: Value): Promise<Result> {
    this.#work.resolve(value);
    return this.#running as Promise<Result>;
  }

  /** Lets the user's function throw. Resolves when the back end has cleaned up. */
  async abandon(reason: unknown): Promise<void> {
    this.#work.reject(reason);
    await this.#running?.catch(() => {});
  }
}
