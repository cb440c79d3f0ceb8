import type { OutputStore } from "../ports/output-store.js";
import type { Driver } from "./driver.js";
import { append, type OutputTable, outputOf, readOutput } from "./output.js";

/** Creates the methods of an output store that need no more than its table. */
export function createOutputStore(
  driver: Driver,
  table: OutputTable,
): Pick<OutputStore, "begun" | "append" | "read"> {
  return {
    begun: ({ operationId, token }) => driver.read(() => outputOf(table, operationId, token)),
    append: (appends) =>
      driver.write("work", () => appends.map((each) => append(table, each)), {
        bytes: appends.reduce((sum, { bytes }) => sum + bytes, 0),
      }),
    read: (requests) => driver.read(() => requests.map((request) => readOutput(table, request))),
  };
}
