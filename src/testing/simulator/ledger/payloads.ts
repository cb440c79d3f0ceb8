import type { JsonText } from "../../../contract/operation.js";
import type { Entries } from "./entry.js";

/** A submission as its caller remembers it, by whatever way it was made. */
export interface Request {
  readonly tenant: string;
  /** Name of the definition. */
  readonly definition: string;
  readonly key: string | undefined;
  /** As it must be stored. */
  readonly input: JsonText;
  readonly delayMs?: number | undefined;
  readonly startedAt: number;
  /** The number of changes that came before it. */
  readonly moment: number;
}

/** The answer to a submission that was accepted. */
export interface Acceptance {
  readonly operationId: string;
  /** Whether the operation is that of an earlier submission. */
  readonly replayed: boolean;
}

/**
 * Sees that a key stands for the payload that it was first used with, that what is new is recorded as it was submitted, and
 * that an operation is new to one submission (I14). Requests and calls are the same here.
 */
export class Payloads {
  readonly #entries: Entries;
  /** Operations that a submission was told to be new. */
  readonly #new = new Set<string>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  accepted(request: Request, { operationId, replayed }: Acceptance): void {
    const entry = this.#entries.get(operationId);
    if (entry === undefined) return;
    const { recorded, startedAs } = entry;
    // A submission that was abandoned is ended without its payload.
    if (startedAs !== "failed" && recorded.input !== request.input)
      this.#violated(`${operationId} of ${recorded.input} is the answer to ${request.input}`);
    if (recorded.definition !== request.definition)
      this.#violated(`${operationId} of ${recorded.definition} is the answer to ${request.definition}`);
    if (replayed) return;
    if (recorded.delayMs !== request.delayMs)
      this.#violated(`${operationId} is delayed by ${recorded.delayMs} ms, not by ${request.delayMs}`);
    if (this.#new.has(operationId)) this.#violated(`${operationId} was new to two submissions`);
    this.#new.add(operationId);
  }

  /** A submission was told that its key belongs to another payload. */
  reused({ tenant, definition, key, input, moment }: Request): void {
    const owners = this.#entries.where(
      (entry) => entry.tenant === tenant && entry.key === key && entry.recorded.definition === definition,
    );
    const owner = owners.find((entry) => entry.recorded.input === input && entry.addedAt <= moment);
    if (owner !== undefined && !this.#entries.isExpired(owner))
      this.#violated(`key ${key} stands for ${owner.id} and is refused for its own payload ${input}`);
  }

  #violated(what: string): void {
    this.#entries.violated("I14", what);
  }
}
