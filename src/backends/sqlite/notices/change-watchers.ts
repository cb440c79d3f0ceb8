import { createWatchers, type Watchers } from "../../shared/local-notices.js";
import type { Changed } from "../connection/connection.js";

/** Those in this process who watch the operations of a database. */
export interface ChangeWatchers {
  readonly operations: Watchers;
  readonly cancellations: Watchers;
  readonly output: Watchers;
  /** Notifies all of them of what a transaction has changed. Call after its commit. */
  tell(changed: Changed): void;
}

/** Creates the watchers of a process. */
export function createChangeWatchers(): ChangeWatchers {
  const operations = createWatchers();
  const cancellations = createWatchers();
  const output = createWatchers();
  return {
    operations,
    cancellations,
    output,
    tell: ({ created, changed, cancelled, appended }) => {
      for (const id of created) operations.changed(id);
      for (const id of changed) operations.changed(id);
      for (const id of cancelled) cancellations.changed(id);
      for (const id of appended) output.changed(id);
    },
  };
}
