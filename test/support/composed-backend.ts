import {
  type Backend,
  createMemoryBackend,
  type MemoryBackendOptions,
  withStores,
} from "async-request-reply";

/** Creates a memory back end that binds the key and creates the operation in two separate steps. */
export function createComposedBackend(options?: MemoryBackendOptions): Backend {
  return withStores(createMemoryBackend(options), {});
}

/** Both ways to record a submission, for tests of behavior that they share. */
export const modes: readonly {
  readonly mode: string;
  createBackend(options?: MemoryBackendOptions): Backend;
}[] = [
  { mode: "atomic recording", createBackend: createMemoryBackend },
  { mode: "two separate stores", createBackend: createComposedBackend },
];
