import { isObject, misuse, shown } from "../contract/options.js";
import type { ServiceContext } from "../http/context.js";
import { SHARED } from "../protocol/shared.js";
import type { Service } from "./service.js";

/**
 * Checks that a function was called with a service.
 *
 * Throws `INVALID_OPTION`, saying what to pass.
 *
 * @param service what the caller passed
 * @param owner the function that takes it, such as `toNodeHandler`
 * @param members the members that the function uses
 */
export function checkService(service: unknown, owner: string, ...members: readonly (keyof Service)[]): void {
  if (isObject(service) && members.every((member) => Reflect.get(service, member) !== undefined)) return;
  throw misuse(
    `${owner}() takes a service, not ${shown(service)}. Pass the return value of createService() or createOrderService().`,
  );
}

/**
 * Returns what the functions of a service depend on.
 *
 * Throws `INVALID_OPTION`, like {@link checkService}.
 */
export function contextOf(service: Service, owner: string): ServiceContext {
  checkService(service, owner, SHARED);
  return service[SHARED];
}
