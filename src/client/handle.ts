import type { ChunkOf, ResultOf } from "../contract/definition/definitions.js";
import { AsyncReplyError, operationFailed } from "../contract/errors.js";
import { invalidOption } from "../contract/options.js";
import type { OutputPart } from "../contract/output.js";
import type { Problem } from "../contract/problem.js";
import { createReader, type ReadState } from "./follow.js";
import { type AnyOperation, type ClientOperation, hasEnded, toOperation } from "./operation.js";
import { type CallOptions, type ClientHeaders, type ClientSettings, checkCall } from "./options.js";
import { send } from "./send.js";
import type { Submitted } from "./submit.js";

/** A handle as `JSON.stringify` writes it. */
export interface SavedOperation {
  /** Name of the definition. */
  readonly definition: string;
  /** Id of the operation. */
  readonly operationId: string;
}

/** Options for `useQuery` of TanStack Query. The data is the latest state of the operation. */
export interface QueryOptions<Definition> {
  /** The same for all handles of an operation. */
  readonly queryKey: readonly [statusUrl: string, definition: string, operationId: string];
  /** Returns the first state at once, and later states when they differ. */
  readonly queryFn: (context: Pick<CallOptions, "signal">) => Promise<ClientOperation<Definition>>;
  /** Milliseconds, or false after the end. */
  readonly refetchInterval: (query: {
    /** State of the query. */
    readonly state: { readonly data?: ClientOperation<Definition> | undefined };
  }) => number | false;
  /** The client has already retried. */
  readonly retry: false;
}

/** Options of `output` of a handle. */
export interface OutputOptions extends CallOptions {
  /** The `position` of the last part that you have. Default: the beginning. */
  readonly from?: string;
}

/** Outcome of `cancel` of a handle. */
export interface ClientCancelResult<Definition> {
  /**
   * - `cancelled`: the operation has failed with the problem `cancelled`, now or earlier.
   * - `requested`: a worker is running it and learns of the cancellation at once, or at its next lease renewal at the
   *   latest.
   * - `terminal`: the operation has ended in another way.
   * - `unknown`: the service has no such operation.
   */
  readonly outcome: "cancelled" | "requested" | "terminal" | "unknown";
  /** The operation after the cancellation. Absent if it does not exist. */
  readonly operation?: ClientOperation<Definition>;
}

/** An operation that was accepted. It is not thenable, so `await` returns it and not its result. */
export interface OperationHandle<Definition> extends AsyncIterable<ClientOperation<Definition>> {
  /**
   * Id of the operation. After a 201 from another origin, reading it throws `NOT_SUPPORTED` if the browser hides the
   * header field `Operation-Location`.
   */
  readonly operationId: string;
  /** The resource, if the service created it before the reply (201). */
  readonly resource?: unknown;
  /**
   * Waits for the end and returns the result. Has no time limit: pass a signal.
   *
   * Throws `OPERATION_CANCELLED` if the operation was cancelled, and `OPERATION_FAILED` if it failed otherwise, both with
   * its problem in `context.problem`; `REQUEST_REFUSED` if the service refuses to show it, and `SERVICE_UNAVAILABLE` if it
   * does not answer for `giveUpAfterMs`.
   */
  result(options?: CallOptions): Promise<ResultOf<Definition>>;
  /** Iterates over the current state and each later one, up to the end. States in quick succession are skipped. */
  states(options?: CallOptions): AsyncGenerator<ClientOperation<Definition>, void, undefined>;
  /**
   * Reads the current state once, without waiting. Returns undefined if the service has no such operation (404).
   *
   * Throws `REQUEST_REFUSED` and `SERVICE_UNAVAILABLE`.
   */
  get(options?: CallOptions): Promise<ClientOperation<Definition> | undefined>;
  /**
   * Iterates over the output from a place on, as it grows, up to its end. Goes on across lost connections and restarts of the
   * service. Ends when the operation has ended, also if it failed: see its state. Needs the option `outputStream`.
   *
   * Throws `REQUEST_REFUSED` if there is no such operation or it has no output, and `SERVICE_UNAVAILABLE`.
   */
  output(options?: OutputOptions): AsyncGenerator<OutputPart<ChunkOf<Definition>>, void, undefined>;
  /**
   * Asks to cancel the operation.
   *
   * Throws `REQUEST_REFUSED` if the definition is not cancellable, and `SERVICE_UNAVAILABLE`.
   */
  cancel(options?: CallOptions): Promise<ClientCancelResult<Definition>>;
  /** Returns options for TanStack Query. */
  queryOptions(): QueryOptions<Definition>;
  /** Returns what `resume` needs, so that `JSON.stringify` saves the handle. */
  toJSON(): SavedOperation;
}

/** Creates the handle of an operation. */
export function createHandle<Definition>(
  settings: ClientSettings,
  definition: string,
  { operationId: id, ended, ...rest }: Submitted,
): OperationHandle<Definition> {
  // The compiler cannot know that the service follows the definition.
  type State = ClientOperation<Definition>;
  const operationId = (): string => {
    if (id !== undefined) return id;
    throw new AsyncReplyError(
      "NOT_SUPPORTED",
      "The browser hides the id. Expose `Operation-Location` (CORS).",
    );
  };
  const urlOf = (): string => `${settings.statusUrl}/${encodeURIComponent(operationId())}`;
  let end: AnyOperation | undefined;
  const keep = (state: AnyOperation): State => {
    if (hasEnded(state)) end = state;
    return state as unknown as State;
  };
  if (ended) keep(ended);
  const open = (headers?: ClientHeaders): ReadState => {
    const read = createReader({ ...settings, callHeaders: headers }, urlOf());
    return async (every, signal) => keep(end ?? (await read(every, signal))) as AnyOperation;
  };

  const ask = async (
    owner: string,
    options: CallOptions = {},
    method?: string,
  ): Promise<AnyOperation | undefined> => {
    const { signal, headers } = checkCall(owner, options);
    const url = urlOf();
    const call = { url, method, signal, expected: "not-found" };
    const { status, body } = await send({ ...settings, callHeaders: headers }, call);
    return status === 404 ? undefined : toOperation(body, url);
  };

  async function* states(options: CallOptions = {}): AsyncGenerator<State, void, undefined> {
    const { signal, headers } = checkCall("states", options);
    if (settings.eventStream && !end)
      for await (const state of settings.eventStream(
        { ...settings, callHeaders: headers },
        urlOf(),
        signal,
      )) {
        yield keep(state);
        if (end) return;
      }
    const read = open(headers);
    do yield (await read(true, signal)) as unknown as State;
    while (!end);
  }

  async function* output(options: OutputOptions = {}): AsyncGenerator<OutputPart<unknown>, void, undefined> {
    const { from, signal, headers } = checkCall("output", options, ["from"]);
    const { outputStream } = settings;
    if (!outputStream) throw invalidOption("outputStream", "the one of this module", outputStream);
    yield* outputStream({ ...settings, callHeaders: headers }, `${urlOf()}/output`, from, signal);
  }

  let readQueried: ReadState | undefined;
  const handle: Omit<OperationHandle<Definition>, "operationId"> = {
    ...rest,
    result: async (options = {}) => {
      const { signal, headers } = checkCall("result", options);
      const { status, result, error } = await open(headers)(false, signal);
      if (status === "completed") return result as ResultOf<Definition>;
      throw operationFailed({ title: status, ...error } as Problem);
    },
    states,
    output: output as OperationHandle<Definition>["output"],
    [Symbol.asyncIterator]: states,
    get: async (options) => (await ask("get", options)) as State | undefined,
    cancel: async (options) => {
      const operation = await ask("cancel", options, "DELETE");
      if (!operation) return { outcome: "unknown" };
      const ended = operation.error?.name === "cancelled" ? "cancelled" : "terminal";
      return {
        outcome: hasEnded(operation) ? ended : "requested",
        operation: operation as unknown as State,
      };
    },
    queryOptions: () => ({
      queryKey: [settings.statusUrl, definition, operationId()],
      queryFn: async ({ signal }) => {
        readQueried ??= open();
        return (await readQueried(true, signal)) as unknown as State;
      },
      refetchInterval: ({ state: { data } }) => (data && hasEnded(data) ? false : 1),
      retry: false,
    }),
    toJSON: () => ({ definition, operationId: operationId() }),
  };
  if (id !== undefined) return { ...handle, operationId: id };
  // V8 keeps an object literal with an accessor until the next full collection, so only this rare one has it.
  return {
    ...handle,
    get operationId() {
      return operationId();
    },
  };
}
