import { checkDefinitions } from "../contract/definition/check-definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { checkOptions, isObject, misuse, type OptionNames, shown } from "../contract/options.js";
import type { Backend } from "../ports/backend.js";
import type { AnyCreators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Webhooks } from "../ports/webhooks.js";
import { checkBackend } from "../protocol/check-backend.js";
import { SHARED, type Shared } from "../protocol/shared.js";

/** Source of a worker's work: a service, or an object with at least `definitions` and `backend`. */
export interface WorkerSource<List extends Definitions, Tx = unknown> {
  /** Definitions that the worker may have processors for. */
  readonly definitions: List;
  /** Back end that the worker shares with the processes that accept requests. */
  readonly backend: Backend<Tx>;
  /**
   * Functions that create a resource before the reply, by name of their definition. They finish submissions whose
   * process died before creating it. Default: none; such submissions are left to other workers.
   */
  readonly create?: AnyCreators;
  /** Webhooks of the service. Default: none; deliveries are left to other workers. */
  readonly webhooks?: Webhooks;
  /**
   * The `problemBaseUri` of the service, for webhooks. A worker that is created from a service uses the service's.
   * Default: the page of this package on npm.
   */
  readonly problemBaseUri?: string;
  /** Time, ids, randomness and SHA-256, for tests. Default: those of the platform. */
  readonly runtime?: Partial<Runtime>;
  /**
   * Receives every event, including full errors. `false` turns events off. Default: logs warnings and errors to the
   * console, rate-limited. A worker that is created from a service uses the service's observer.
   */
  readonly observe?: Observer | false;
  /** @internal */
  readonly [SHARED]?: Shared;
}

const OPTIONS: OptionNames<WorkerSource<[]>> = {
  definitions: true,
  backend: true,
  runtime: true,
  observe: true,
  create: true,
  webhooks: true,
  problemBaseUri: true,
  [SHARED]: true,
};

/**
 * Checks the first argument of `createWorker`. A service may have members that a worker does not use.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkSource(source: unknown): void {
  if (!isObject(source))
    throw misuse(
      `createWorker() takes a service, or \`{ backend, definitions }\`, as its first argument, not ${shown(source)}.`,
    );
  const { backend, definitions, handle } = source as { readonly [member: string]: unknown };
  if (typeof handle !== "function") checkOptions(source, OPTIONS, "createWorker");
  checkBackend(backend);
  checkDefinitions(definitions);
}
