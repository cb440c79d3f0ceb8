import { discarded, type OutputHead, type OutputRun, type RunRange } from "../../engine/output.js";

/** An output, with the chunks that stand. */
interface Output {
  head: OutputHead;
  runs: OutputRun[];
}

/** The outputs of a store. */
export class Outputs {
  readonly #byId = new Map<string, Output>();

  head(id: string): OutputHead | undefined {
    return this.#byId.get(id)?.head;
  }

  save(id: string, head: OutputHead): void {
    const output = this.#byId.get(id);
    if (output === undefined) this.#byId.set(id, { head, runs: [] });
    else output.head = head;
  }

  insert(id: string, run: OutputRun): void {
    this.#byId.get(id)?.runs.push(run);
  }

  runs(id: string, { epoch, from, end }: RunRange, maxLength: number): readonly OutputRun[] {
    const found: OutputRun[] = [];
    let left = maxLength;
    for (const run of this.#byId.get(id)?.runs ?? []) {
      if (run.epoch !== epoch || run.first + run.chunks.length <= from) continue;
      if (run.first >= end || left <= 0) break;
      found.push(run);
      for (const chunk of run.chunks) left -= chunk.length;
    }
    return found;
  }

  /** Discards what does not stand any more, because an attempt has begun. */
  begun(id: string): void {
    const output = this.#byId.get(id);
    if (output === undefined) return;
    output.head = discarded(output.head);
    output.runs = output.runs.filter(({ first }) => first < output.head.count);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }
}
