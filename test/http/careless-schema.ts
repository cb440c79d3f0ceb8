import type { StandardSchema } from "async-request-reply";

/** Takes everything, as a careless schema would. */
export const anything: StandardSchema<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
};
