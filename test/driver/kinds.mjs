import { defineOperation } from "async-request-reply";

/** Takes any value that JSON can represent. The checks know what was sent. */
const input = { "~standard": { version: 1, vendor: "driver", validate: (value) => ({ value }) } };

/**
 * The kinds of work of the random driver, by the name of their definition. Each has other rules for when it may begin.
 */
export const kinds = {
  plain: {},
  limited: { limits: { running: 3 } },
  fair: { limits: { runningPerTenant: 2 } },
  doubly: { limits: { running: 4, runningPerTenant: 2 } },
  laned: { lanes: 3 },
  "fair-laned": { limits: { runningPerTenant: 2 }, lanes: 4 },
  created: { creates: true },
  hurried: { limits: { running: 2 }, startWithinMs: 4_000 },
};

export const tenants = ["a", "b", "c", "d", "e"];

/** Returns the definitions of all kinds. */
export function toDefinitions() {
  return Object.entries(kinds).map(([name, { limits, lanes, startWithinMs }]) =>
    defineOperation({
      name,
      path: `/${name}`,
      input,
      cancellable: true,
      ...(limits && { limits }),
      ...(lanes && { serialBy: ({ lane }) => lane }),
      ...(startWithinMs && { startWithinMs }),
    }),
  );
}
