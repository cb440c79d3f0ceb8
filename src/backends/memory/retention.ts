import { Fifo } from "./fifo.js";

interface Waiting {
  readonly id: string;
  /** When it became what it waits as: ended, handed out, asked to be removed. */
  readonly at: number;
  readonly forMs: number;
}

const HANDED_OUT_AGAIN_MS = 60_000;

/** Follows ended operations until they are forgotten. All lines are in order of time, so that only their heads are looked at. */
export class Retention {
  readonly #ended = new Fifo<Waiting>();
  readonly #handedOut = new Fifo<Waiting>();
  readonly #leaving = new Fifo<Waiting>();

  ended(id: string, now: number): void {
    this.#ended.push({ id, at: now, forMs: 0 });
  }

  leave(id: string, now: number, afterMs: number): void {
    this.#leaving.push({ id, at: now, forMs: afterMs });
  }

  /** Ids whose time to be forgotten has come. */
  takeLeaving(now: number): string[] {
    return takeWhile(this.#leaving, Number.POSITIVE_INFINITY, ({ at, forMs }) => at + forMs <= now);
  }

  /** Ids that ended at least `retentionMs` ago, and those handed out a while ago that may not have been dealt with. */
  takeExpired(now: number, retentionMs: number, limit: number): string[] {
    const again = takeWhile(this.#handedOut, limit, ({ at, forMs }) => at + forMs <= now);
    const fresh = takeWhile(this.#ended, limit - again.length, ({ at }) => at + retentionMs <= now);
    const ids = [...again, ...fresh];
    for (const id of ids) this.#handedOut.push({ id, at: now, forMs: HANDED_OUT_AGAIN_MS });
    return ids;
  }
}

function takeWhile(line: Fifo<Waiting>, limit: number, ready: (item: Waiting) => boolean): string[] {
  const ids: string[] = [];
  for (let next = line.peek(); next !== undefined && ids.length < limit && ready(next); next = line.peek()) {
    ids.push(next.id);
    line.shift();
  }
  return ids;
}
