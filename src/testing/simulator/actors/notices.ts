import { defineOperation, type OperationDefinition } from "../../../contract/definition/definition.js";
import type { StandardSchema } from "../../../contract/schema.js";

/** Accepts every value. */
export const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "async-request-reply", validate: (value) => ({ value }) },
};

/**
 * Definition of notices. Clients submit them, and some operations have one as their follow-up. Their retention is
 * shorter than that of orders.
 */
export type NoticeDefinition = OperationDefinition<
  "notices",
  "/notices",
  StandardSchema,
  undefined,
  undefined,
  undefined,
  undefined
>;

export const NOTICES: NoticeDefinition = defineOperation({
  name: "notices",
  path: "/notices",
  input: anything,
  cancellable: true,
  retentionMs: 600_000,
  failedRetentionMs: 300_000,
  // Clients submit two kinds of notices, so most of them wait for another one.
  serialBy: (input) => String((input as { readonly about?: unknown }).about),
});
