import type { OperationDefinition } from "../core/definition.js";
import type { OperationStatus } from "../core/operation.js";
import type { RetryAfterEstimate } from "../core/retry-after.js";
import type { Format } from "../formats/format.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../steps/announcer.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message.js";
import type { ServiceSettings } from "./settings.js";

/** What of a submission is up to its definition, one for each of the definitions. */
export type SubmissionOf<Definition> =
  Definition extends OperationDefinition<infer Name, infer _Output, infer _Result, infer Input>
    ? readonly [definition: Name, input: Input, options: SubmitInTransactionOptions]
    : never;

/** On whose behalf {@link Service.submitInTransaction} submits. */
export interface SubmitInTransactionOptions {
  /** The scope that may read the operation, and that the key belongs to: of the principal on whose behalf it is. */
  readonly scope: string;
  /** The idempotency key itself, without quotes: 1 to 255 printable ASCII characters. */
  readonly key?: string;
}

/** What became of a submission, if its transaction commits. */
export interface SubmittedInTransaction {
  /** For `GET /operations/<id>`. */
  readonly operationId: string;
  /** `pending`, or what the earlier operation with this key has come to. */
  readonly status: OperationStatus;
  /** Whether the key has an earlier operation. */
  readonly replayed: boolean;
}

/** The context of every handler, and what adapters mount. Made by {@link createService}. */
export interface Service<
  Definitions extends readonly OperationDefinition[] = readonly OperationDefinition[],
  Tx = unknown,
> {
  /** What it accepts, each at its own path. */
  readonly operations: Definitions;
  /** Where operations are kept and announced. Closing it is up to whoever made it. */
  readonly backend: Backend<Tx>;
  /** The options, checked and with their defaults. */
  readonly settings: ServiceSettings;
  /** What bodies and replies may be written in. The first is the one that clients get who have no preference. */
  readonly formats: readonly Format[];
  /** Where time, ids, randomness and hashes come from. */
  readonly runtime: Runtime;
  /** Tells the observer; never throws. */
  readonly observe: Observer;
  /** Wakes workers. One that is made of this service announces through it too. */
  readonly announcer: Announcer;
  /** What `Retry-After` is reckoned by. A worker that is made of this service teaches it. */
  readonly estimate: RetryAfterEstimate;
  /** Answers any request: the definitions' paths and the status endpoint. Never rejects. */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
  /**
   * Records an operation of a definition, which must not have `create`, within a transaction that the caller has open: it
   * exists, and is announced, if and only if that commits. The input is checked as that of a request; `authorize` is not
   * asked. No event tells of it: whether it commits is not known here.
   *
   * None of the refusals makes the transaction fail. The database itself can.
   *
   * @throws AsyncReplyError `CONTRACT_VIOLATION`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY`, `MISSING_IDEMPOTENCY_KEY`;
   * `IDEMPOTENCY_KEY_REUSED` when the key belongs to another input; `CREATION_IN_PROGRESS` when another open transaction
   * holds it; `NO_TRANSACTIONS` where the back end shares none; `INVALID_OPTION`, `STORE_UNAVAILABLE`
   */
  submitInTransaction(
    tx: Tx,
    ...submission: SubmissionOf<Definitions[number]>
  ): Promise<SubmittedInTransaction>;
}
