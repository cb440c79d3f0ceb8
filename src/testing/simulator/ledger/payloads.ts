import type { JsonText } from "../../../contract/operation.js";
import type { Entries } from "./entry.js";

/** A submission as its caller remembers it, made by request or by call. */
export interface Request {
  readonly tenant: string;
  readonly principal: string;
  /** Name of the definition. */
  readonly definition: string;
  readonly key: string | undefined;
  /** The input as it must be stored. */
  readonly input: JsonText;
  readonly delayMs?: number | undefined;
  readonly startedAt: number;
  /** Number of changes before the submission. */
  readonly moment: number;
}

/** The reply to an accepted submission. */
export interface Acceptance {
  readonly operationId: string;
  /** Whether the operation belongs to an earlier submission. */
  readonly replayed: boolean;
}

/**
 * Checks that each key only accepts the payload that it was first used with, that a new operation is recorded as it
 * was submitted, and that an operation is new to only one submission (I14). Requests and calls share the same keys.
 */
export class Payloads {
  readonly #entries: Entries;
  /** Operations that a reply has reported as new. */
  readonly #reportedAsNew = new Set<string>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Checks a reply that accepts a submission. */
  accepted(request: Request, { operationId, replayed }: Acceptance): void {
    const entry = this.#entries.get(operationId);
    if (entry === undefined) return;
    const { recorded, startedAs } = entry;
    // An abandoned submission is recorded as failed, without its payload.
    if (startedAs !== "failed" && recorded.input !== request.input)
      this.#violated(
        `payload ${request.input} was accepted as ${operationId}, which has payload ${recorded.input}`,
      );
    if (recorded.definition !== request.definition)
      this.#violated(
        `a submission of ${request.definition} was accepted as ${operationId} of ${recorded.definition}`,
      );
    if (replayed) return;
    if (recorded.principal !== request.principal)
      this.#violated(
        `${operationId} was recorded for the principal ${recorded.principal}, expected ${request.principal}`,
      );
    if (recorded.delayMs !== request.delayMs)
      this.#violated(
        `${operationId} has a delay of ${recorded.delayMs ?? 0} ms, expected ${request.delayMs ?? 0} ms`,
      );
    if (this.#reportedAsNew.has(operationId))
      this.#violated(`${operationId} was reported as new to two submissions`);
    this.#reportedAsNew.add(operationId);
  }

  /** Checks a reply that refuses a submission because its key belongs to another payload. */
  refusedAsReused({ tenant, definition, key, input, moment }: Request): void {
    const owners = this.#entries.where(
      (entry) => entry.tenant === tenant && entry.key === key && entry.recorded.definition === definition,
    );
    const owner = owners.find((entry) => entry.recorded.input === input && entry.addedAt <= moment);
    if (owner !== undefined && !this.#entries.isExpired(owner))
      this.#violated(`key ${key} of ${owner.id} was refused for its own payload ${input}`);
  }

  #violated(what: string): void {
    this.#entries.violated("I14", what);
  }
}
