import { bearer, type OrderServiceOptions } from "async-request-reply";
import { TOKENS } from "../../src/testing/suites/adapter/orders-fixture.js";
import { toText } from "./identity-transcript.js";

/** Sees what a service tells, and what it lets its hooks see of requests. */
export function createWitness(): Required<Pick<OrderServiceOptions, "authorize" | "observe">> & {
  /** Resolves as soon as the service has told of anything that was not taken yet. */
  told(): Promise<void>;
  take(): readonly unknown[];
} {
  let seen: unknown[] = [];
  let isTold = false;
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
      isTold = true;
      wake();
    },
    told: async () => {
      if (isTold) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    take: () => {
      const taken = seen;
      seen = [];
      isTold = false;
      return taken;
    },
  };
}

/** What the hook of the witness looks at: fields that the service reads, too, and fields that it does not know. */
const FIELDS_OF_HOOKS = [
  "Authorization",
  "accept",
  "Content-Type",
  "content-length",
  "Idempotency-Key",
  "X-Odd",
  "prefer",
];
