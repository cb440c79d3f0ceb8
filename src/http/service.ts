import { createMemoryBackend } from "../backends/memory/index.js";
import type { OperationDefinition } from "../core/definition.js";
import { invalidOption } from "../core/options.js";
import { defineOrders, type OrderDefinition, type OrderOptions } from "../core/order.js";
import { createRetryAfterEstimate } from "../core/retry-after.js";
import type { Format } from "../formats/format.js";
import type { Backend } from "../ports/backend.js";
import { type Observer, shielded } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { createSystemRuntime } from "../ports/system-runtime.js";
import { createAnnouncer } from "../steps/announcer.js";
import type { Service } from "./context.js";
import { readFormats } from "./read-formats.js";
import { createRouter } from "./router.js";
import { readSettings, type SettingsOptions } from "./settings.js";
import { submitInTransaction } from "./submit-in-transaction.js";

/** What {@link createService} takes. Only `operations` and `authorize` are required. */
export interface ServiceOptions<Definitions extends readonly OperationDefinition[], Tx = unknown>
  extends SettingsOptions {
  /** At least one definition. No two may have the same name or path. */
  readonly operations: Definitions;
  /** Where operations are kept and announced. By default this process's memory, which is lost with it. */
  readonly backend?: Backend<Tx>;
  /** Formats besides JSON, which is always there and comes first where a client has no preference. */
  readonly formats?: readonly Format[];
  /** Is told of every event and every whole error. Default nobody. */
  readonly observe?: Observer;
  /** Time, ids, randomness and SHA-256, for tests. What is left out is the platform's. */
  readonly runtime?: Partial<Runtime>;
}

/**
 * Makes a service out of definitions: its handlers accept work, and workers do it (spec §1).
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function createService<const Definitions extends readonly OperationDefinition[], Tx = unknown>(
  options: ServiceOptions<Definitions, Tx>,
): Service<Definitions, Tx> {
  checkDefinitions(options.operations);
  const settings = readSettings(options);
  const runtime: Runtime = { ...createSystemRuntime(), ...options.runtime };
  const backend = options.backend ?? createMemoryBackend({ clock: runtime.clock });
  const observe = shielded(options.observe);
  const service: Service<Definitions, Tx> = {
    operations: options.operations,
    backend,
    settings,
    formats: readFormats(options.operations, options.formats),
    runtime,
    observe,
    announcer: createAnnouncer({ queue: backend.queue, runtime, observe }),
    estimate: createRetryAfterEstimate(),
    handle: (request, context) => route(request, context),
    submitInTransaction: (tx, ...[name, input, given]) =>
      submitInTransaction(service as Service, tx, name, input, given),
  };
  const route = createRouter(service as Service);
  return service;
}

/** What {@link createOrderService} takes. Only `authorize` is required. */
export interface OrderServiceOptions<Tx = unknown>
  extends Omit<ServiceOptions<readonly OrderDefinition[], Tx>, "operations">,
    OrderOptions<Tx> {}

/**
 * Makes the order submission service of the specification: `POST /orders` and `GET /operations/<id>`.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function createOrderService<Tx = unknown>(
  options: OrderServiceOptions<Tx>,
): Service<readonly [OrderDefinition], Tx> {
  return createService<readonly [OrderDefinition], Tx>({ ...options, operations: [defineOrders(options)] });
}

function checkDefinitions(definitions: readonly OperationDefinition[] | undefined): void {
  if (!Array.isArray(definitions) || definitions.length === 0) {
    throw invalidOption("operations", "a list of at least one definition", definitions);
  }
  for (const member of ["name", "path"] as const) {
    const values = definitions.map((definition: OperationDefinition) => definition[member]);
    const repeated = values.find((value, index) => values.indexOf(value) !== index);
    if (repeated !== undefined)
      throw invalidOption("operations", `definitions of which each has its own ${member}`, repeated);
  }
}
