import type { OperationDefinition } from "../contract/definition/definition.js";
import type {
  Definitions,
  Named,
  NameOf,
  ParsedInputOf,
  ProcessorProgressOf,
  ProcessorResultOf,
} from "../contract/definition/definitions.js";
import type { Operation } from "../contract/operation.js";
import { callback, checkFunction } from "../contract/option-values.js";
import {
  isObject,
  isPromise,
  misuse,
  type OptionTable,
  readOptions,
  shown,
  suggestName,
} from "../contract/options.js";
import type { AnyCreate, AnyCreators } from "../ports/create.js";
import {
  checkWebhooks,
  type DeliveryAttempt,
  type DeliveryContext,
  type Webhooks,
} from "../ports/webhooks.js";
import type { Job, Processor } from "./attempt/job.js";
import type { MembersOf } from "./attempt/job-of.js";
import {
  type ProcessorOptions,
  type ProcessorSettings,
  processorTable,
  type WorkerSettings,
} from "./settings.js";

/** The processor of one definition: a function, or an object with a function and its options. */
export type ProcessorOf<Definition, Tx> =
  | (ProcessorFunctionOf<Definition, Tx> & { readonly [Option in keyof ProcessorOptions]?: never }) // Lets the compiler suggest the name of a misspelled option.
  | (ProcessorOptions & {
      /** Does the work of an operation. */
      readonly run: ProcessorFunctionOf<Definition, Tx>;
    });

/** Function that does the work of one definition. */
export type ProcessorFunctionOf<Definition, Tx> = Processor<
  ParsedInputOf<Definition>,
  ProcessorResultOf<Definition>,
  ProcessorProgressOf<Definition>,
  Tx,
  MembersOf<Definition, Tx>
>;

/** Processors of a worker, by name of their definition. */
export type Processors<List extends Definitions, Tx = unknown> = {
  readonly [Name in NameOf<List>]?: ProcessorOf<Named<List, Name>, Tx>;
};

/** A definition with its processor and the settings of its attempts. */
export interface CheckedProcessor {
  readonly definition: OperationDefinition;
  readonly run: (input: unknown, job: Job & DeliveryAttempt) => unknown;
  /** Creates the resource before the reply, for submissions whose process died before creating it. */
  readonly create: AnyCreate | undefined;
  /** Called after the failure of an operation was stored. Only deliveries of webhooks have it. Never rejects. */
  readonly failed?: (operation: Operation, error: unknown) => Promise<void>;
  readonly settings: ProcessorSettings & { readonly maxResultBytes: number };
}

/**
 * Checks the processors of a worker and returns them with their definitions, by name.
 *
 * Throws `INVALID_OPTION`, naming the known definitions.
 */
export function readProcessors(
  definitions: Definitions,
  processors: unknown,
  given: {
    readonly create: AnyCreators;
    readonly settings: WorkerSettings;
    readonly random: () => number;
    /** Processors of the package itself. With them, a worker may have no others. */
    readonly deliveries: readonly (readonly [string, CheckedProcessor])[];
  },
): ReadonlyMap<string, CheckedProcessor> {
  const known = definitions.map(({ name }) => name);
  const entries = isObject(processors) ? Object.entries(processors) : [];
  const isEnough = entries.length > 0 || (isObject(processors) && given.deliveries.length > 0);
  if (!isEnough)
    throw misuse(
      `\`processors\` of createWorker() has no processor: ${shown(processors)} was passed. ` +
        `Pass at least one, such as \`{ ${example(known)}: async (input, job) => { … } }\`.`,
    );
  const own = entries.map(([name, processor]) => {
    const definition = definitions.find((candidate) => candidate.name === name);
    if (definition === undefined)
      throw misuse(
        `Unknown definition ${shown(name)} in \`processors\`. ${suggestName("definitions", name, known)}`,
      );
    return [name, readProcessor(definition, processor, given)] as const;
  });
  return new Map([...own, ...given.deliveries]);
}

function readProcessor(
  definition: OperationDefinition,
  processor: unknown,
  { create, settings, random }: Parameters<typeof readProcessors>[2],
): CheckedProcessor {
  const { name } = definition;
  const { maxResultBytes } = settings;
  const path = `processors.${name}`;
  if (isPromise(processor))
    throw misuse(
      `Option \`${path}\` must be a function, not a promise that was not awaited. Await it, such as ` +
        "`(await import(url)).default`.",
    );
  if (!isObject(processor)) checkFunction(path, processor);
  const options = isObject(processor) ? processor : { run: processor };
  const table: OptionTable<ProcessorSettings & Pick<CheckedProcessor, "run">> = {
    ...processorTable(settings, random),
    run: callback(),
  };
  const { run, ...own } = readOptions(options, table, "createWorker", path);
  const hook = Object.hasOwn(create, name) ? create[name] : undefined;
  return { definition, run, create: hook, settings: { ...own, maxResultBytes } };
}

/** Formats a name as a key of an object literal. */
function example([name = "orders"]: readonly string[]): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}

/**
 * Returns the processor of webhook deliveries by its name. Returns nothing if the worker has no webhooks.
 *
 * Throws `INVALID_OPTION`.
 */
export function deliveryProcessors(
  webhooks: Webhooks | undefined,
  { concurrency, maxResultBytes, errors }: WorkerSettings,
  context: Omit<DeliveryContext, "concurrency">,
): readonly (readonly [string, CheckedProcessor])[] {
  checkWebhooks(webhooks);
  if (webhooks === undefined) return [];
  const { definition, processor } = webhooks;
  const { run, failed, settings } = processor({ ...context, concurrency });
  const own = { ...settings, maxResultBytes, errors };
  return [[definition.name, { definition, run, failed, create: undefined, settings: own }]];
}
