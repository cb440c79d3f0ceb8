import type { Deadline } from "../../platform/waits.js";
import type { Places, WaitSettings } from "./places.js";

/** A caller that waits for news. */
export interface Waiter<News> {
  /**
   * Resolves to the next news. Resolves to `undefined` if the time is over, the signal is aborted, all waits have ended, or there
   * will be no news, because the operation is unknown.
   */
  next(): Promise<News | undefined>;
  /** Resolves like `next`, or to `idle` if there is nothing new within this time. Milliseconds. */
  nextWithin(ms: number): Promise<News | "idle" | undefined>;
  /** Ends the wait and frees its place. Its limits do the same. Can be repeated. */
  close(): void;
}

/** Source of the news of a waiter. */
export interface Lookout<News> {
  /** Takes news, or `gone` if it will never have any. If there is nothing new, calls `wake` once it is time to look again. */
  take(wake: () => void): News | "gone" | undefined;
  /** Called once, when the wait is over. */
  leave(wake: () => void): void;
}

/** Creates a waiter. If there is no place for it, leaves the lookout and returns `undefined`. */
export function createWaiter<News extends object>(
  places: Places,
  wait: WaitSettings & { readonly tenant: string },
  lookout: Lookout<News>,
): Waiter<News> | undefined {
  let isOver = false;
  let look = (): void => {};
  const wake = (): void => look();
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    lookout.leave(wake);
    wake();
  };
  const free = places.take(wait, end);
  if (free === undefined) {
    end();
    return undefined;
  }

  /** Resolves as soon as there is news, because each further promise would cost every event of every stream. */
  function next(idleMs?: number): Promise<News | "idle" | undefined> {
    return new Promise((resolve) => {
      let deadline: Deadline | undefined;
      const settle = (news: News | "idle" | undefined): void => {
        look = () => {};
        deadline?.cancel();
        resolve(news);
      };
      look = () => {
        const taken = isOver ? "gone" : lookout.take(wake);
        if (taken !== undefined) settle(taken === "gone" ? undefined : taken);
        else if (idleMs !== undefined) deadline ??= places.after(idleMs, () => settle("idle"));
      };
      look();
    });
  }

  return {
    next: next as Waiter<News>["next"],
    nextWithin: next,
    close: () => {
      free();
      end();
    },
  };
}
