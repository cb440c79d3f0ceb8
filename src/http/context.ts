import type { Definitions, InputOf, ProgressOf, ResultOf } from "../contract/definitions.js";
import type { Problem } from "../contract/problem.js";
import type { Format } from "../formats/format.js";
import type { Submitted } from "../in-process/submit.js";
import type { Backend } from "../ports/backend.js";
import type { AnyCreators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { CancelOutcome } from "../ports/operation-store.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../protocol/announcer.js";
import type { Lifecycle } from "../protocol/lifecycle.js";
import type { RetryAfterEstimate } from "../protocol/retry-after.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message/message.js";
import type { ServiceSettings } from "./settings.js";

/** What adapters mount: a service of any type, or something that answers like one. */
export type Mountable = Pick<Service, "handle" | "settings"> &
  Partial<Pick<Service, "hasPath" | "definitions" | "close">>;

/** How {@link Service.submit} submits. `tx` exists only if the back end shares its transactions. */
export type SubmitOptions<Tx> = {
  /** Owner of the operation and its key: see `tenant` of a `Principal`. */
  readonly tenant: string;
  /** Idempotency key, without quotes: 1 to 255 printable ASCII characters. Default: none. */
  readonly key?: string;
  /** How long after the submission the work becomes due. Milliseconds, at most 100 years. Default: 0. */
  readonly delayMs?: number;
} & ([Tx] extends [never]
  ? { readonly tx?: never }
  : {
      /** An open transaction of yours: the operation exists, and is announced, if and only if it commits. */
      readonly tx?: Tx;
    });

/** An operation as {@link Service.get} returns it. */
export type OperationView<Definition> = {
  /** The id of the operation. */
  readonly operationId: string;
  /** Name of its definition. */
  readonly definition: string;
  /** Attempts begun and not given back. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
} & (
  | { readonly status: "pending"; readonly progress?: ProgressOf<Definition> }
  | { readonly status: "completed"; readonly finishedAt: number; readonly result: ResultOf<Definition> }
  | { readonly status: "failed"; readonly finishedAt: number; readonly error: Problem }
);

/** Accepts work, over HTTP and in process. The context of every handler. Made by `createService`. */
export interface Service<List extends Definitions = Definitions, Tx = unknown> {
  /** The definitions it accepts, each at its own path. */
  readonly definitions: List;
  /** Where operations are kept and announced. */
  readonly backend: Backend<Tx>;
  /** The functions that create a resource before the reply, by name of their definition. */
  readonly create: AnyCreators;
  /** The options, checked and with their defaults. */
  readonly settings: ServiceSettings;
  /** Formats of bodies and replies. The first one is for clients without a preference. */
  readonly formats: readonly Format[];
  /** Where time, ids, randomness and hashes come from. */
  readonly runtime: Runtime;
  /** Tells the observer; never throws. */
  readonly observe: Observer;
  /** Wakes workers. A worker that is created from this service announces through it too. */
  readonly announcer: Announcer;
  /** Counts what is in progress, so that `close` can wait for it. Workers that are created from this service join it. */
  readonly lifecycle: Lifecycle;
  /** Estimates `Retry-After`. A worker that is created from this service teaches it. */
  readonly estimate: RetryAfterEstimate;
  /** Returns whether something is at this path, whatever the method. A query is ignored. */
  hasPath(path: string): boolean;
  /** Answers any request: the definitions' paths and the status endpoint. Never rejects. */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
  /**
   * Submits work without HTTP, with the same checks, guarantees and events. `authorize` and `admit` are not called. The input
   * must be JSON, like the result of a processor. If the service creates the resource of this definition before the reply, it
   * does so here too, within `tx` if there is one.
   *
   * With `tx`, everything is written in your transaction, and there is no event. An error that this rejects with leaves your
   * transaction usable, unless the database itself failed.
   *
   * @throws AsyncReplyError `CONTRACT_VIOLATION`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY`, `MISSING_IDEMPOTENCY_KEY`;
   * `IDEMPOTENCY_KEY_REUSED` if the key belongs to another input; `SUBMISSION_IN_PROGRESS` if another open transaction holds
   * it; `CREATION_IN_PROGRESS`, `CREATION_FAILED`; `NO_TRANSACTIONS` if the back end shares none; `SUBMISSION_UNCERTAIN`,
   * `STORE_UNAVAILABLE`; `INVALID_OPTION`; `SERVICE_CLOSED`
   */
  submit<const Definition extends List[number]>(
    definition: Definition,
    input: InputOf<Definition>,
    options: SubmitOptions<Tx>,
  ): Promise<Submitted>;
  /**
   * Reads an operation of this tenant and this definition. Returns undefined if there is none.
   *
   * @throws AsyncReplyError `INVALID_OPTION`, `STORE_UNAVAILABLE`, `SERVICE_CLOSED`
   */
  get<const Definition extends List[number]>(
    definition: Definition,
    id: string,
    options: { readonly tenant: string },
  ): Promise<OperationView<Definition> | undefined>;
  /**
   * Cancels an operation of this tenant, whether or not its definition lets clients cancel. `cancelled`: it has failed with
   * the problem `cancelled`. `requested`: a worker is running it and learns of it at its next lease renewal.
   *
   * @throws AsyncReplyError `INVALID_OPTION`, `STORE_UNAVAILABLE`, `SERVICE_CLOSED`
   */
  cancel(id: string, options: { readonly tenant: string }): Promise<CancelOutcome>;
  /**
   * Ends everything in order: refuses new requests and submissions, waits for those in progress, stops the workers that were
   * created from this service, publishes what is still to be announced, and closes the back end. Never rejects.
   */
  close(): Promise<void>;
}
