import type { Service } from "async-request-reply";
import { SHARED } from "../../src/protocol/shared.js";

/** Returns the parts of a service that its workers and adapters share. For tests that wait until it rests, or that rebuild it. */
export function inside(service: Pick<Service, typeof SHARED>): Service[typeof SHARED] {
  return service[SHARED];
}
