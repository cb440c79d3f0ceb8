import type { ResultOf } from "../contract/definition/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import type { Problem } from "../contract/problem.js";
import { nextState, type Seen } from "./follow.js";
import { type AnyOperation, type ClientOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { send } from "./send.js";
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
  { operationId, operation, ...rest }: Submitted,
): OperationHandle<Definition> {
  type State = ClientOperation<Definition>;
  // The compiler cannot know that the service follows the definition.
  const typed = (state: AnyOperation): State => state as unknown as State;
  const urlOf = (): string => `${settings.statusUrl}/${encodeURIComponent(operationId())}`;
  let ended = operation && hasEnded(operation) ? operation : undefined;

  const next = async (every: boolean, since: Seen | undefined, { signal }: FollowOptions): Promise<Seen> => {
    if (ended) return { operation: ended, tag: null, notBefore: 0 };
    const seen = await nextState(settings, { url: urlOf(), signal, every, since });
    if (hasEnded(seen.operation)) ended = seen.operation;
    return seen;
  };

  async function* states(options: FollowOptions = {}): AsyncGenerator<State, void, undefined> {
    const { signal } = options;
    if (settings.eventStream && !ended)
      for await (const state of settings.eventStream(settings, urlOf(), signal)) {
        if (hasEnded(state)) ended = state;
        yield typed(state);
        if (ended) return;
      }
    let seen: Seen | undefined;
    do {
      seen = await next(true, seen, options);
      yield typed(seen.operation);
    } while (!hasEnded(seen.operation));
  }

  let queried: Seen | undefined;
  return {
    ...rest,
    get operationId() {
      return operationId();
    },
    result: async (options = {}) => {
      const { operation: end } = await next(false, undefined, options);
      if (end.status === "completed") return end.result as ResultOf<Definition>;
      const problem = { title: end.status, ...end.error } as Problem;
      throw new AsyncReplyError(
        "OPERATION_FAILED",
        `The operation failed: ${problem.detail ?? problem.title}`,
        { problem },
      );
    },
    states,
    [Symbol.asyncIterator]: () => states(),
    cancel: async ({ signal } = {}) => {
      const url = urlOf();
      const { body } = await send(settings, { method: "DELETE", url, signal });
      return typed(toOperation(body, url));
    },
    queryOptions: () => ({
      queryKey: [settings.statusUrl, definition, operationId()],
      queryFn: async (context) => {
        queried = await next(true, queried, context);
        return typed(queried.operation);
      },
      refetchInterval: ({ state: { data } }) => (data && hasEnded(data) ? false : 1),
      retry: false,
    }),
    toJSON: () => ({ definition, operationId: operationId() }),
  };
}
