import type { Definitions, InputOf, Named, NameOf } from "../contract/definition/definitions.js";
import { invalidOption, misuse, shown } from "../contract/options.js";
import { createHandle, type OperationHandle, type SavedOperation } from "./handle.js";
import { type ClientOptions, type ClientSettings, readClientOptions } from "./options.js";
import { type ClientSubmitOptions, submit, type Target } from "./submit.js";

/**
 * Lets functions of this module, such as `listOperations`, read what a client was created with. A registered symbol,
 * because a program can load two copies of the package.
 */
export const SOURCE: unique symbol = Symbol.for("async-request-reply.source");

/** Calls of one definition. */
export interface OperationClient<Definition> {
  /** @internal */
  readonly [SOURCE]: { readonly settings: ClientSettings; readonly definition: string };
  /**
   * Submits work. Resolves when the service has accepted it. After network errors and while the service is not
   * available, the submission is repeated with the same key, so that it is never accepted twice.
   *
   * Throws `REQUEST_REFUSED` with the problem in `context.problem`, and `SERVICE_UNAVAILABLE` if there is no answer for
   * `giveUpAfterMs`.
   */
  submit(input: InputOf<Definition>, options?: ClientSubmitOptions): Promise<OperationHandle<Definition>>;
  /**
   * Returns the handle of an operation that was submitted earlier, or by a server. Sends no request.
   *
   * Throws `INVALID_OPTION`, also for an operation that names another definition.
   *
   * @param saved What `JSON.stringify(handle)` returned, as text or parsed; or an id, an object with an `operationId`, or
   *   the `Location` of a 202.
   */
  resume(saved: unknown): OperationHandle<Definition>;
}

/** A client of a service: one member for each definition, with its name. */
export type Client<List extends Definitions> = {
  readonly [Name in NameOf<List>]: OperationClient<Named<List, Name>>;
};

/** Paths of all definitions by their names. The compiler checks them against the definitions. */
export type ClientPaths<List extends Definitions> = {
  readonly [Name in NameOf<List>]: Named<List, Name>["path"];
};

/**
 * Creates a client from definitions.
 *
 * Throws `INVALID_OPTION`.
 */
export function createClient<const List extends Definitions>(
  options: ClientOptions & {
    /** The definitions of the service, or some of them. */
    readonly definitions: List;
  },
): Client<List>;
/**
 * Creates a client from the type of definitions, so that their validators do not become part of a bundle:
 * `createClient<typeof definitions>({ baseUrl, paths: { orders: "/orders" } })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function createClient<List extends Definitions>(
  options: ClientOptions & {
    /** The path of each definition. */
    readonly paths: ClientPaths<List>;
  },
): Client<List>;
export function createClient(
  options: ClientOptions & {
    readonly definitions?: readonly Target[];
    readonly paths?: Readonly<Record<string, string>>;
  },
): Readonly<Record<string, OperationClient<unknown>>> {
  const settings = readClientOptions(options);
  const entries = pathsOf(options).map(([name, path]) => {
    const calls: OperationClient<unknown> = {
      [SOURCE]: { settings, definition: name },
      submit: async (input: unknown, how = {}) =>
        createHandle(settings, name, await submit(settings, path, input, how)),
      resume: (saved) => createHandle(settings, name, { operationId: readSaved(name, saved) }),
    };
    return [name, calls] as const;
  });
  return Object.fromEntries(entries);
}

function pathsOf({
  definitions,
  paths,
}: {
  readonly definitions?: readonly Target[];
  readonly paths?: Readonly<Record<string, string>>;
}): readonly (readonly [name: string, path: string])[] {
  const pairs =
    definitions?.map?.((each) => [each?.name, each?.path] as const) ?? (paths && Object.entries(paths));
  if (pairs?.flat().every((text) => typeof text === "string")) return pairs;
  throw invalidOption("definitions", "a list of definitions, unless you pass `paths`", definitions);
}

/** Returns the id in a saved handle, in anything else with an `operationId`, or in a `Location`. */
function readSaved(definition: string, saved: unknown): string {
  const { operationId, definition: saidDefinition = definition } = parseSaved(saved);
  // After a path, or alone. Services have no other ids than UUIDs.
  const id = /^(?:.*\/)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(`${operationId}`)?.[1];
  if (id !== undefined && saidDefinition === definition) return id;
  throw misuse(
    `${shown(saved)} is not an operation of "${definition}". Pass \`JSON.stringify(handle)\`, an id, or a \`Location\`.`,
  );
}

function parseSaved(saved: unknown): Partial<SavedOperation> {
  if (typeof saved !== "string") return (saved ?? {}) as Partial<SavedOperation>;
  try {
    return (JSON.parse(saved) ?? {}) as Partial<SavedOperation>;
  } catch {
    return { operationId: saved };
  }
}
