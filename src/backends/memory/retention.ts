import { Fifo } from "./fifo.js";

interface Waiting {
  readonly id: string;
  /** Since when it waits in its line. */
  readonly at: number;
}

const HANDED_OUT_AGAIN_MS = 60_000;

/**
 * Follows ended operations until they are forgotten. In each line all wait equally long, so that it is in the order of
 * time and only its head needs to be looked at.
 */
export class Retention {
  readonly #ended = new Fifo<Waiting>();
  readonly #handedOut = new Fifo<Waiting>();
  /** A line for each duration that was asked for. */
  readonly #leaving = new Map<number, Fifo<Waiting>>();

  ended(id: string, now: number): void {
    this.#ended.push({ id, at: now });
  }

  leave(id: string, now: number, afterMs: number): void {
    const line = this.#leaving.get(afterMs) ?? new Fifo<Waiting>();
    this.#leaving.set(afterMs, line);
    line.push({ id, at: now });
  }

  /** Ids whose time to be forgotten has come. */
  takeLeaving(now: number): string[] {
    return [...this.#leaving].flatMap(([afterMs, line]) =>
      takeSince(line, now - afterMs, Number.POSITIVE_INFINITY),
    );
  }

  /** Ids that ended at least `retentionMs` ago, and those handed out a while ago that have not been dealt with. */
  takeExpired(
    now: number,
    { retentionMs, limit }: { readonly retentionMs: number; readonly limit: number },
    isThere: (id: string) => boolean,
  ): string[] {
    const again = takeSince(this.#handedOut, now - HANDED_OUT_AGAIN_MS, limit, isThere);
    const fresh = takeSince(this.#ended, now - retentionMs, limit - again.length, isThere);
    const ids = [...again, ...fresh];
    for (const id of ids) this.#handedOut.push({ id, at: now });
    return ids;
  }
}

/** Takes from the head of a line those that wait since `since` or longer; what is gone is dropped and does not count. */
function takeSince(
  line: Fifo<Waiting>,
  since: number,
  limit: number,
  isThere: (id: string) => boolean = () => true,
): string[] {
  const ids: string[] = [];
  for (
    let next = line.peek();
    next !== undefined && ids.length < limit && next.at <= since;
    next = line.peek()
  ) {
    line.shift();
    if (isThere(next.id)) ids.push(next.id);
  }
  return ids;
}
