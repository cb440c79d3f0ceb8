import type { StandardSchema } from "async-request-reply";

/** A schema that accepts every value. */
export const anything: StandardSchema<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
};
