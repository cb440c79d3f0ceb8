import type { Definitions, NameOf } from "../../contract/definition/definitions.js";
import { either, instance, integer } from "../../contract/option-values.js";
import { type OptionTable, present, readOptions } from "../../contract/options.js";
import { COMMON_OPTIONS, contextOf } from "../../operator/context.js";
import { type Operator, type OperatorOptions, operatorOf } from "../../operator/operator.js";
import type { TenantOrder } from "../directory/calls.js";
import { callDirectory } from "../directory/directory-object.js";
import type { ObjectNamespace } from "../platform.js";
import { createObjectsStore, type ObjectBindings } from "./objects-store.js";

/** Options of {@link createObjectsOperator}. `objects`, `directory` and `definitions` are required. */
export interface ObjectsOperatorOptions<List extends Definitions>
  extends ObjectBindings,
    Omit<OperatorOptions<List>, "backend"> {}

/** Options of {@link ObjectsOperator.tenants}. */
export interface TenantsOptions {
  /** Order of the tenants, the most first. `age`: how long work has been due. Default: `due`. */
  readonly by?: TenantOrder;
  /** Maximum number of tenants, 1 to 1,000. Default: 100. */
  readonly limit?: number;
}

/** The operations of a tenant, as its objects reported them. */
export interface TenantCounts {
  /** Tenant that owns the operations. */
  readonly tenant: string;
  /** Operations that are due and do not run. The counts of each object and definition stop at 10,000. */
  readonly due: number;
  /** Operations that run. */
  readonly running: number;
  /** Operations that are due later. */
  readonly scheduled: number;
  /** Failed operations that were not redriven. */
  readonly failed: number;
  /** Since when the operation is due that is due for the longest time. Absent if none is due. */
  readonly dueSince?: Date;
  /** When the object reported whose report is the oldest. */
  readonly reportedAt: Date;
}

/**
 * Reads and changes the operations of all objects. Counts, pauses, and which objects a list asks come from the directory, to which
 * objects report at most once a minute. So they can be a minute old, and a pause reaches an object that works within a minute.
 */
export interface ObjectsOperator<Name extends string = string> extends Operator<Name> {
  /** Lists the tenants that have unfinished work or failures. */
  tenants(options?: TenantsOptions): Promise<readonly TenantCounts[]>;
}

const BINDING = "the binding of a class with Durable Objects";

const OPTIONS = {
  ...COMMON_OPTIONS,
  objects: instance<ObjectNamespace<unknown>>(BINDING, "idFromName"),
  directory: instance<ObjectNamespace<unknown>>(BINDING, "idFromName"),
};

const TENANTS_OPTIONS: OptionTable<Required<TenantsOptions>> = {
  by: either("due", "running", "failed", "age"),
  limit: integer(100, 1_000),
};

/**
 * Creates an operator over the objects of all tenants, which have the same `directory`. It opens nothing, so there is nothing to close.
 *
 * Throws `INVALID_OPTION`.
 */
export function createObjectsOperator<const List extends Definitions>(
  options: ObjectsOperatorOptions<List>,
): ObjectsOperator<NameOf<List>> {
  const { objects, directory, ...parts } = readOptions(options, OPTIONS, "createObjectsOperator");
  const bindings: ObjectBindings = { objects, directory };
  return {
    ...operatorOf<List>(contextOf(createObjectsStore(bindings), parts)),
    tenants: async (given = {}) => {
      const request = readOptions(given, TENANTS_OPTIONS, "operator.tenants");
      const found = await callDirectory(bindings.directory)("tenants", request);
      return found.map(({ dueSince, reportedAt, ...counts }) => ({
        ...counts,
        ...present({ dueSince: dueSince === undefined ? undefined : new Date(dueSince) }),
        reportedAt: new Date(reportedAt),
      }));
    },
  };
}
