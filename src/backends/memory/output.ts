import { isTerminal } from "../../contract/operation.js";
import type { Driver } from "../../engine/driver.js";
import { createOutputStore } from "../../engine/output-store.js";
import type { OutputStore } from "../../ports/output-store.js";
import { createWatchers } from "../shared/local-notices.js";
import type { MemoryTable } from "./table.js";

/** Creates the output store. It forgets at once everything that is discarded or belongs to deleted operations. */
export function createMemoryOutput(
  driver: Driver,
  { entries, now }: Pick<MemoryTable, "entries" | "now">,
): OutputStore {
  const { outputs } = entries;
  const { watch, changed } = createWatchers();
  const store = createOutputStore(driver, {
    now,
    attemptOf: (id) => {
      const { token, operation } = entries.find(id) ?? {};
      if (token === undefined || operation === undefined || isTerminal(operation.state)) return undefined;
      return { token, attempt: operation.attempt };
    },
    stateOf: (id) => entries.find(id)?.operation.state,
    head: (id) => outputs.head(id),
    save: (id, head) => outputs.save(id, head),
    insert: (id, run) => outputs.insert(id, run),
    runs: (id, range, maxLength) => outputs.runs(id, range, maxLength),
    appended: changed,
  });
  return { ...store, watch, clean: async () => 0 };
}
