import type { ResultOf } from "../contract/definition/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import type { Problem } from "../contract/problem.js";
import { createReader, type ReadState } from "./follow.js";
import { type ClientOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { send, withProblem } from "./send.js";
import type { Submitted } from "./submit.js";

/** Options of the methods that wait or read. */
export interface FollowOptions {
  /** Ends the call when it is aborted. The operation continues. */
  readonly signal?: AbortSignal;
}

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
  readonly queryFn: (context: FollowOptions) => Promise<ClientOperation<Definition>>;
  /** Milliseconds, or false after the end. */
  readonly refetchInterval: (query: {
    /** State of the query. */
    readonly state: { readonly data?: ClientOperation<Definition> | undefined };
  }) => number | false;
  /** The client has already retried. */
  readonly retry: false;
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
   * Throws `OPERATION_FAILED` with the problem in `context.problem` if the operation failed, `REQUEST_REFUSED` if the
   * service refuses to show it, and `SERVICE_UNAVAILABLE` if it does not answer for `giveUpAfterMs`.
   */
  result(options?: FollowOptions): Promise<ResultOf<Definition>>;
  /** Iterates over the current state and each later one, up to the end. States in quick succession are skipped. */
  states(options?: FollowOptions): AsyncGenerator<ClientOperation<Definition>, void, undefined>;
  /**
   * Asks to cancel the operation. Returns its state, which is still `pending` if a worker is running it.
   *
   * Throws `REQUEST_REFUSED` if the definition is not cancellable.
   */
  cancel(options?: FollowOptions): Promise<ClientOperation<Definition>>;
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
      "The browser hides the id. Send `Access-Control-Expose-Headers: Operation-Location`.",
    );
  };
  const urlOf = (): string => `${settings.statusUrl}/${encodeURIComponent(operationId())}`;
  let end = ended;
  const open = (): ReadState => {
    const read = createReader(settings, urlOf());
    return async (every, signal) => {
      const state = end ?? (await read(every, signal));
      if (hasEnded(state)) end = state;
      return state;
    };
  };

  async function* states({ signal }: FollowOptions = {}): AsyncGenerator<State, void, undefined> {
    if (settings.eventStream && !end)
      for await (const state of settings.eventStream(settings, urlOf(), signal)) {
        if (hasEnded(state)) end = state;
        yield state as unknown as State;
        if (end) return;
      }
    const read = open();
    do yield (await read(true, signal)) as unknown as State;
    while (!end);
  }

  let readQueried: ReadState | undefined;
  const handle: Omit<OperationHandle<Definition>, "operationId"> = {
    ...rest,
    result: async ({ signal } = {}) => {
      const { status, result, error } = await open()(false, signal);
      if (status === "completed") return result as ResultOf<Definition>;
      throw withProblem("OPERATION_FAILED", "The operation failed", { title: status, ...error } as Problem);
    },
    states,
    [Symbol.asyncIterator]: states,
    cancel: async ({ signal } = {}) => {
      const url = urlOf();
      const { body } = await send(settings, { method: "DELETE", url, signal });
      return toOperation(body, url) as unknown as State;
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
