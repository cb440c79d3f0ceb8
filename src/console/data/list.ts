import type { ListFilter, OperationPage } from "../../operator/list.js";
import type { Call, ConsoleContext } from "../context.js";

const PAGE = 50;

/** Reads a page of operations. The operator checks the filter. */
export function readList({ operator }: ConsoleContext, { query }: Call): Promise<OperationPage> {
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const time = (name: string): number | undefined => {
    const value = text(name);
    return value === undefined ? undefined : Number(value);
  };
  const filter: Readonly<Record<string, unknown>> = {
    state: text("state"),
    definition: text("definition"),
    tenant: text("tenant"),
    errorType: text("errorType"),
    createdFrom: time("createdFrom"),
    createdBefore: time("createdBefore"),
    internal: query.get("internal") === "true",
    cursor: text("cursor"),
    limit: PAGE,
  };
  return operator.list(filter as ListFilter);
}
