import {
  isTerminal,
  type JsonText,
  type OperationState,
  type Settlement,
} from "../../../contract/operation.js";
import { CANCELLED } from "../../../contract/problem.js";

/** What an operation consists of at one moment, as far as clients can see it. Texts are compared to the letter. */
export interface Content {
  readonly state: OperationState;
  readonly progress?: JsonText | undefined;
  readonly result?: JsonText | undefined;
  readonly error?: JsonText | undefined;
  readonly resource?: JsonText | undefined;
  /** For operators only. */
  readonly lastError?: JsonText | undefined;
}

/** Returns what a content becomes, or undefined if this change cannot happen to it. */
export type Change = (content: Content) => Content | undefined;

interface Version {
  /** More than one while nobody knows whether a call that failed has changed something. */
  alternatives: readonly Content[];
  /** The moment at which the next version took its place. */
  replacedAt: number;
}

/** Everything that one operation has been, in order. */
export class Contents {
  readonly #versions: Version[] = [];
  readonly #nextMoment: () => number;

  /** `nextMoment` numbers the changes of all operations of a history. */
  constructor(first: Content, nextMoment: () => number) {
    this.#nextMoment = nextMoment;
    this.#add([first]);
  }

  /** What it is, or was before a change that may have happened. */
  get current(): Content {
    return this.#last.alternatives[0] as Content;
  }

  /** Whether a change may have happened about which nothing was read since. */
  get isUncertain(): boolean {
    return this.#last.alternatives.length > 1;
  }

  /** Returns whether it may be in such a state. */
  mayBe(is: (content: Content) => boolean): boolean {
    return this.#last.alternatives.some(is);
  }

  /** Applies a change that has happened. Returns whether it could happen. */
  change(change: Change): boolean {
    const alternatives = applied(change, this.#last.alternatives);
    if (alternatives.length === 0) return false;
    if (alternatives.length === 1 && isSame(alternatives[0] as Content, this.current)) return true;
    this.#add(alternatives);
    return true;
  }

  /** Notes a change that may have happened, because its call failed. */
  mayChange(change: Change): void {
    const { alternatives } = this.#last;
    this.#last.alternatives = [...alternatives, ...applied(change, alternatives)];
  }

  /** Compares what a store returned. What it returned once is known from then on. */
  read(shown: Content): boolean {
    const { alternatives } = this.#last;
    if (alternatives.length === 1) return isSame(shown, this.current);
    const found = alternatives.find((content) => isSame(shown, content));
    if (found !== undefined) this.#last.alternatives = [found];
    return found !== undefined;
  }

  /** Returns what it has been from a moment on: what an answer to a request of that moment may show. */
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

/** Renews a lease, with or without progress. */
export function progressing(progress: JsonText | undefined): Change {
  return (content) => {
    if (isTerminal(content.state)) return undefined;
    return progress === undefined ? content : { ...content, progress };
  };
}

/** Settles an attempt, which leads to `state`. The token that ended an operation may settle it again in vain. */
export function settling(settlement: Settlement, state: OperationState): Change {
  return (content) => {
    if (isTerminal(content.state)) return content.state === state ? content : undefined;
    if (settlement.to === "completed") return { ...content, state, result: settlement.result };
    if (settlement.to === "failed") return { ...content, state, error: settlement.error };
    if (settlement.to === "prepared") return { ...content, state, resource: settlement.resource };
    if (state === "failed") return cancelling(content);
    const { lastError = content.lastError } = settlement;
    return { ...content, lastError };
  };
}

function applied(change: Change, contents: readonly Content[]): readonly Content[] {
  return contents.map(change).filter((content) => content !== undefined);
}

/** Progress is only shown while an operation is pending. A cancelled retry may have left its reason or not. */
function isSame(one: Content, other: Content): boolean {
  return (
    one.state === other.state &&
    one.result === other.result &&
    one.error === other.error &&
    one.resource === other.resource &&
    (one.state === "failed" || one.lastError === other.lastError) &&
    (one.state !== "pending" || one.progress === other.progress)
  );
}
