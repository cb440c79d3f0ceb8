import { codeOf } from "../connection/error-code.js";
import type { Explain } from "../connection/store-error.js";
import { connectionMistake, isAboutConnecting } from "./connection-mistake.js";
import { hasEnded, POOL_ENDED } from "./pool-mistake.js";
import { isAboutPreparing, STATEMENTS_LOST } from "./pooler-mistake.js";
import { howToMigrate } from "./schema-mistake.js";

/**
 * Creates a function that explains errors of calls with the sentences of `check`. It only looks at the error itself.
 */
export function createExplain(pool: object, schema: string): Explain {
  return (error) => {
    if (hasEnded(pool)) return POOL_ENDED;
    if (isAboutConnecting(error)) return connectionMistake(error).detail;
    if (isAboutPreparing(error)) return STATEMENTS_LOST;
    switch (codeOf(error)) {
      case "3F000":
      case "42P01":
      case "42883":
        return `Schema ${schema} is missing or older than this release. ${howToMigrate(schema)}`;
      case "42501":
        return `The role of the pool lacks a grant on schema ${schema}. Call \`backend.check()\`, which names the statement to run.`;
      case "25006":
        return "The connection is read-only. Connect the pool to the primary, or turn off `default_transaction_read_only`.";
      default:
        return undefined;
    }
  };
}
