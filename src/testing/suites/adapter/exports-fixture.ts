import * as z from "zod/mini";
import { defineOperation, type OperationDefinition } from "../../../contract/definition.js";
import type { Operation } from "../../../contract/operation.js";
import { bearer } from "../../../http/access/credentials.js";
import { createService } from "../../../http/service.js";
import type { SettingsOptions } from "../../../http/settings.js";
import type { Backend } from "../../../ports/backend.js";
import { allOperations } from "../../all-operations.js";
import type { AdapterHarness, Mounted } from "./adapter-case.js";
import { type Change, submission, TOKENS } from "./orders-fixture.js";

/** A definition whose path has a text field and a number field. */
const yearlyExports: OperationDefinition = defineOperation({
  name: "exports",
  rootName: "export",
  path: "/accounts/{accountId}/years/{year}/exports",
  input: z.strictObject({ accountId: z.string(), year: z.int(), format: z.optional(z.string()) }),
  jsonSchema: {
    type: "object",
    properties: {
      accountId: { type: "string" },
      year: { type: "integer" },
      format: { type: "string" },
    },
    required: ["accountId", "year"],
    additionalProperties: false,
  },
});

/** A service with path fields behind the adapter under test. */
export interface Exports extends Mounted {
  readonly backend: Backend;
  /** Returns every recorded operation. */
  recorded(): Promise<readonly Operation[]>;
}

/** Mounts a service that accepts the principals in {@link TOKENS}. */
export async function mountExports(
  harness: AdapterHarness,
  options: Partial<SettingsOptions> = {},
  definitions: readonly OperationDefinition[] = [yearlyExports],
): Promise<Exports> {
  const backend = harness.createBackend();
  const service = createService({ authorize: bearer(TOKENS), ...options, definitions, backend });
  return {
    ...(await harness.mount(service)),
    backend,
    recorded: () => allOperations(backend.operations),
  };
}

/** Builds a submission for an account and a year, percent-encoded. */
export function exportOf(account: string, year: string, change: Change = {}): ReturnType<typeof submission> {
  return submission({ path: `/accounts/${account}/years/${year}/exports`, body: "{}", ...change });
}
