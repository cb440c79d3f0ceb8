import { isObject } from "../../../contract/options.js";

/** Whether a value is a connection of `pg`: a `Client`, or a client taken from a pool. */
export function isClient(value: object): boolean {
  const { connect, getTypeParser } = value as {
    readonly connect?: unknown;
    readonly getTypeParser?: unknown;
  };
  return typeof connect === "function" && typeof getTypeParser === "function";
}

/** Whether a value is a pool of connections. */
export function isPool(value: unknown): boolean {
  if (!isObject(value) || isClient(value)) return false;
  const { connect, release } = value as { readonly connect?: unknown; readonly release?: unknown };
  return typeof connect === "function" && typeof release !== "function";
}
