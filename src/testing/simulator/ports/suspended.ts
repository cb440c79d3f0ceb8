import { type Deferred, deferred } from "./deferred.js";

/** A call of a back end that calls a function of the user, taken apart so that other things can happen while that runs. */
export class Suspended<Value, Result> {
  readonly #run: (work: () => Promise<Value>) => Promise<Result>;
  readonly #work: Deferred<Value> = deferred();
  #running: Promise<Result> | undefined;

  constructor(run: (work: () => Promise<Value>) => Promise<Result>) {
    this.#run = run;
  }

  /** Begins the call. Resolves as soon as the user's function is called, or the call is over without it. */
  start(): Promise<"called" | Result> {
    return new Promise((resolve, reject) => {
      this.#running = this.#run(() => {
        resolve("called");
        return this.#work.promise;
      });
      this.#running.then(resolve, reject);
    });
  }

  /** Lets the function return. */
  resume(value: Value): Promise<Result> {
    this.#work.resolve(value);
    return this.#running as Promise<Result>;
  }

  /** Lets the function throw, and waits until the back end has cleaned up. */
  async abandon(reason: unknown): Promise<void> {
    this.#work.reject(reason);
    await this.#running?.catch(() => {});
  }
}
