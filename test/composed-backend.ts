import {
  type Backend,
  createMemoryBackend,
  type MemoryBackendOptions,
  withStores,
} from "async-request-reply";

/** The memory back end as two stores that have no step in common. */
export function createComposedBackend(options?: MemoryBackendOptions): Backend {
  return withStores(createMemoryBackend(options), {});
}

/** Both ways to record, for tests of what must hold in either. */
export const modes: readonly {
  readonly mode: string;
  createBackend(options?: MemoryBackendOptions): Backend;
}[] = [
  { mode: "one step that records", createBackend: createMemoryBackend },
  { mode: "two stores, one after the other", createBackend: createComposedBackend },
];
