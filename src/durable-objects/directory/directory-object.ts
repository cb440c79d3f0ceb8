import { createObjectStatements } from "../../backends/durable-objects/statements.js";
import type { ObjectStorage } from "../../backends/durable-objects/storage.js";
import actions from "../../backends/sqlite/schema/actions.sql";
import { type Addition, addVersions, isCurrent } from "../../backends/sqlite/schema/versions.js";
import { instance } from "../../contract/option-values.js";
import { createSystemRuntime } from "../../platform/system-runtime.js";
import { answering, type Caller, callerOf, objectNamed } from "../object-calls.js";
import type { ObjectNamespace } from "../platform.js";
import type { DirectoryCalls } from "./calls.js";
import version1 from "./schema/1.sql";
import { createTables, type DirectoryTables } from "./tables.js";

const VERSIONS: readonly Addition[] = [
  { text: version1, needs: 1 },
  { text: actions, needs: 1 },
];

/** The directory of all objects. The method of your class calls that of the same name. */
export interface DirectoryObject {
  /** Answers calls of objects and operators. */
  fetch(request: Request): Promise<Response>;
}

/** The state of a directory: its storage. */
export interface DirectoryState {
  /** Storage of the object. Its class must be one with SQLite. */
  readonly storage: ObjectStorage;
}

/**
 * Keeps a directory of the objects of a class, in one Durable Object of another class. Objects report what they have, on waking and at
 * most once a minute. So it is rebuilt by itself if it is lost. It also keeps the pauses of definitions, which end if it is lost, and what
 * operators did.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param state the first argument of the constructor of the class: `this.ctx`
 */
export function createDirectoryObject(state: DirectoryState): DirectoryObject {
  const expected = "the storage of an object with SQLite: pass `this.ctx` of the class";
  const storage = instance<ObjectStorage>(expected, "transactionSync")(state?.storage, "ctx.storage");
  const statements = createObjectStatements(storage);
  const { clock, random } = createSystemRuntime();
  const tables = createTables(statements, { now: clock.now, random });
  let isOpen = false;
  const open = (): void => {
    if (!isOpen && !isCurrent(statements, VERSIONS)) addVersions(statements, VERSIONS, clock.now());
    isOpen = true;
  };
  const inTransaction = (run: (request: never) => unknown) => async (request: never) =>
    storage.transactionSync(() => {
      open();
      return run(request);
    });
  const calls = Object.fromEntries(
    Object.entries<DirectoryTables[keyof DirectoryTables]>(tables).map(([name, run]) => [
      name,
      inTransaction(run),
    ]),
  ) as unknown as DirectoryCalls;
  return { fetch: answering(calls) };
}

/** One object is the directory. */
const NAME = "directory";

/** Creates the calls to the directory. */
export function callDirectory<Id>(directory: ObjectNamespace<Id>): Caller<DirectoryCalls> {
  return (name, request) => callerOf<DirectoryCalls>(objectNamed(directory, NAME))(name, request);
}
