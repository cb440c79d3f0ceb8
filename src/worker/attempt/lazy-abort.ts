/**
 * An AbortController that is created when its signal is first read. Few processors read it, and creating one takes as
 * long as creating all other objects of an attempt.
 */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. Only the first reason counts. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
