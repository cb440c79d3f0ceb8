import { bearer, type OrderServiceOptions } from "async-request-reply";
import { TOKENS } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toText } from "./identity-transcript.js";

/** Records the events of a service and what its hooks see of each request. */
export function createWitness(): Required<Pick<OrderServiceOptions, "authorize" | "observe">> & {
  /** Resolves as soon as there is an event that `take` has not returned yet. */
  nextEvent(): Promise<void>;
  /** Returns everything recorded since the last call. */
  take(): readonly unknown[];
} {
  let seen: unknown[] = [];
  let hasEvent = false;
  let wake: () => void = () => {};
  const known = bearer(TOKENS);
  return {
    authorize: (request, authorization) => {
      const { method, path, header } = request;
      seen.push([authorization, method, path, ...FIELDS_OF_HOOKS.map(header)]);
      return known(request, authorization);
    },
    observe: (event) => {
      seen.push(toText(event));
      hasEvent = true;
      wake();
    },
    nextEvent: async () => {
      if (hasEvent) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    take: () => {
      const taken = seen;
      seen = [];
      hasEvent = false;
      return taken;
    },
  };
}

/** Fields that the witness reads: some that the service reads too, and some that it ignores. */
const FIELDS_OF_HOOKS = [
  "Authorization",
  "accept",
  "Content-Type",
  "content-length",
  "Idempotency-Key",
  "X-Odd",
  "prefer",
];
