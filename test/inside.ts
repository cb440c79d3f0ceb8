import type { Service } from "async-request-reply";
import { SHARED } from "../src/protocol/shared.js";

/** What a service shares with its workers and adapters. For tests that wait until it rests, or that rebuild it. */
export function inside(service: Pick<Service, typeof SHARED>): Service[typeof SHARED] {
  return service[SHARED];
}
