import {
  isTerminal,
  type JsonText,
  type OperationState,
  type Settlement,
} from "../../../contract/operation.js";
import { CANCELLED, EXPIRED } from "../../../contract/problem.js";

/** State of an operation at one moment, as clients see it. Texts are compared exactly. */
export interface Content {
  readonly state: OperationState;
  readonly progress?: JsonText | undefined;
  readonly cancelRequested?: boolean | undefined;
  readonly result?: JsonText | undefined;
  readonly error?: JsonText | undefined;
  readonly resource?: JsonText | undefined;
  /** Only visible to operators. */
  readonly lastError?: JsonText | undefined;
}

/** Returns the content after a change, or `undefined` if this change is not possible. */
export type Change = (content: Content) => Content | undefined;

interface Version {
  /** More than one if a call failed and it is unknown whether it changed something. */
  alternatives: readonly Content[];
  /** Moment when the next version replaced this one. */
  replacedAt: number;
}

/** All versions of the content of one operation, in order. */
export class Contents {
  readonly #versions: Version[] = [];
  readonly #nextMoment: () => number;

  /** `nextMoment` returns the number of the next change, counted over all operations of a history. */
  constructor(first: Content, nextMoment: () => number) {
    this.#nextMoment = nextMoment;
    this.#add([first]);
  }

  /** The current content. If a change may have happened, the content before it. */
  get current(): Content {
    return this.#last.alternatives[0] as Content;
  }

  /** Whether a change may have happened that no read has confirmed or refuted since. */
  get isUncertain(): boolean {
    return this.#last.alternatives.length > 1;
  }

  /** Returns whether the current content may meet a condition. */
  mayBe(condition: (content: Content) => boolean): boolean {
    return this.#last.alternatives.some(condition);
  }

  /** Applies a change that has happened. Returns `false` if it was not possible. */
  change(change: Change): boolean {
    const alternatives = applied(change, this.#last.alternatives);
    if (alternatives.length === 0) return false;
    if (alternatives.length === 1 && isSame(alternatives[0] as Content, this.current)) return true;
    this.#add(alternatives);
    return true;
  }

  /** Records a change that may have happened. Its call failed, so the outcome is unknown. */
  mayChange(change: Change): void {
    const { alternatives } = this.#last;
    this.#last.alternatives = [...alternatives, ...applied(change, alternatives)];
  }

  /** Returns whether a store may return this content. The first read settles which uncertain changes have happened. */
  read(shown: Content): boolean {
    const { alternatives } = this.#last;
    if (alternatives.length === 1) return isSame(shown, this.current);
    const found = alternatives.find((content) => isSame(shown, content));
    if (found === undefined) return false;
    // The response to a request that waited until now may still show what was possible before.
    if (found === this.current) this.#last.alternatives = [found];
    else this.#add([found]);
    return true;
  }

  /** Returns all contents since a moment. A response to a request sent at that moment may show any of them. */
  since(moment: number): readonly Content[] {
    return this.#versions
      .filter(({ replacedAt }) => replacedAt > moment)
      .flatMap(({ alternatives }) => alternatives);
  }

  #add(alternatives: readonly Content[]): void {
    const last = this.#versions.at(-1);
    if (last !== undefined) last.replacedAt = this.#nextMoment();
    this.#versions.push({ alternatives, replacedAt: Number.POSITIVE_INFINITY });
  }

  get #last(): Version {
    return this.#versions[this.#versions.length - 1] as Version;
  }
}

/** Ends an operation as cancelled. */
export const cancelling: Change = (content) =>
  isTerminal(content.state) ? undefined : { ...content, state: "failed", error: CANCELLED };

/** Ends an operation that no attempt began in time. */
export const expiring: Change = (content) =>
  content.state === "pending" ? { ...content, state: "failed", error: EXPIRED } : undefined;

/** Requests the cancellation of a running operation. */
export const requesting: Change = (content) =>
  isTerminal(content.state) ? undefined : { ...content, cancelRequested: true };

/** Confirms that an operation has ended: by an earlier change, or just now by this one. */
export function ending(change: Change | undefined): Change {
  return (content) => (isTerminal(content.state) ? content : change?.(content));
}

/** Renews a lease, with or without progress. */
export function progressing(progress: JsonText | undefined): Change {
  return (content) => {
    if (isTerminal(content.state)) return undefined;
    return progress === undefined ? content : { ...content, progress };
  };
}

/** Settles an attempt, which leads to `state`. The token that ended an operation may settle it again, as a no-op. */
export function settling(settlement: Settlement, state: OperationState): Change {
  return (content) => {
    if (isTerminal(content.state)) return content.state === state ? content : undefined;
    if (settlement.to === "prepared") return { ...content, state, resource: settlement.resource };
    const { progress = content.progress } = settlement;
    if (settlement.to === "completed") return { ...content, state, progress, result: settlement.result };
    if (settlement.to === "failed") {
      const { error, lastError = content.lastError } = settlement;
      return { ...content, state, progress, error, lastError };
    }
    if (state === "failed") return cancelling(content);
    // Only an earlier settlement of the same token can have led anywhere else.
    if (state !== content.state) return undefined;
    const { lastError = content.lastError } = settlement;
    return { ...content, progress, lastError };
  };
}

function applied(change: Change, contents: readonly Content[]): readonly Content[] {
  return contents.map(change).filter((content) => content !== undefined);
}

/**
 * Compares two contents. Progress and requests to cancel only count while an operation is pending. A retry that a cancellation ends can
 * keep its `lastError` or lose it, so failed contents are compared without it.
 */
function isSame(one: Content, other: Content): boolean {
  return (
    one.state === other.state &&
    one.result === other.result &&
    one.error === other.error &&
    one.resource === other.resource &&
    (one.state === "failed" || one.lastError === other.lastError) &&
    (one.state !== "pending" ||
      (one.progress === other.progress && one.cancelRequested === other.cancelRequested))
  );
}
