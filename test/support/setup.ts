import { describe, it, vi } from "vitest";
import { WAIT_MS } from "./patience.js";

type Each = (this: unknown, table: readonly unknown[], ...rest: readonly unknown[]) => unknown;

const guarded = new WeakSet<object>();

/** Makes `each` throw for an empty table, which would silently declare no tests. */
function refuseEmptyTables(each: Each): Each {
  if (guarded.has(each)) return each;
  const refusing: Each = function (table, ...rest) {
    if (table.length === 0) throw new Error("The table of `each` is empty, so it would declare no tests.");
    return each.call(this, table, ...rest);
  };
  guarded.add(refusing);
  return refusing;
}

for (const api of [it, describe] as { each: unknown }[]) api.each = refuseEmptyTables(api.each as Each);

type Wait = (condition: () => unknown, options?: { readonly timeout?: number }) => unknown;

for (const name of ["waitFor", "waitUntil"] as const) {
  const wait = vi[name] as Wait;
  if (guarded.has(wait)) continue;
  const patient: Wait = (condition, options) => wait(condition, { timeout: WAIT_MS, ...options });
  guarded.add(patient);
  Object.assign(vi, { [name]: patient });
}
