import { suggestName } from "../contract/closest-name.js";
import { checkDefinitions } from "../contract/definition/check-definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { invalidOption, misuse, shown } from "../contract/options.js";
import { toObserver } from "../observing/to-observer.js";
import { type Backend, checkBackend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { createSystemRuntime } from "../ports/system-runtime.js";
import { type Announcer, createAnnouncer } from "../protocol/announcer.js";
import { createOperatorStore, type OperatorStore } from "./operator-store.js";

/** Dependencies shared by all methods of an operator. */
export interface OperatorContext {
  /** Names of the definitions. */
  readonly names: readonly string[];
  readonly store: OperatorStore;
  readonly runtime: Runtime;
  readonly observe: Observer;
  readonly announcer: Announcer;
}

/** Input of {@link createContext}. */
interface Parts {
  readonly backend: Backend;
  readonly definitions: Definitions;
  readonly runtime?: Partial<Runtime>;
  readonly observe?: Observer | false;
}

/**
 * Checks the options of an operator and creates its dependencies.
 *
 * Throws `INVALID_OPTION`.
 */
export function createContext({ backend, definitions, ...options }: Parts): OperatorContext {
  checkBackend(backend);
  checkDefinitions(definitions);
  const runtime: Runtime = { ...createSystemRuntime(), ...options.runtime };
  const observe = toObserver(options.observe, runtime.clock);
  return {
    names: definitions.map(({ name }) => name),
    store: createOperatorStore(backend.operations, runtime.clock),
    runtime,
    observe,
    announcer: createAnnouncer({ queue: backend.queue, runtime, observe }),
  };
}

/**
 * Checks that a value is the name of a definition that the operator knows.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkKnown({ names }: Pick<OperatorContext, "names">, name: unknown): void {
  if (typeof name !== "string") throw invalidOption("definition", "the name of a definition", name);
  if (names.includes(name)) return;
  throw misuse(`Unknown definition ${shown(name)}. ${suggestName("definitions", name, names)}`);
}
