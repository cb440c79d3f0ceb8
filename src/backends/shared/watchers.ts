/** The watchers of operations in this process. */
export interface Watchers {
  /** Notifies the watchers of an operation, or without an id, that they may have missed notifications. */
  changed(operationId?: string): void;
  /** Calls `onChange` with the argument of each `changed`, until the returned function is called. */
  watch(onChange: (operationId?: string) => void): () => void;
}

/** Creates the watchers of a process. */
export function createWatchers(): Watchers {
  // The same function can watch twice.
  const watchers = new Set<{ readonly onChange: (operationId?: string) => void }>();
  return {
    changed: (operationId) => {
      for (const { onChange } of watchers) onChange(operationId);
    },
    watch: (onChange) => {
      const watcher = { onChange };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
