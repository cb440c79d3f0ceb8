import {
  type Backend,
  composeStores,
  createMemoryBackend,
  createMemoryStores,
  type MemoryBackendOptions,
} from "async-request-reply";

/** Creates a memory back end that binds the key and creates the operation in two separate steps. */
export function createComposedBackend(options: MemoryBackendOptions = {}): Backend<never> {
  return composeStores(createMemoryStores(options), options);
}

/** Both ways to record a submission, for tests of behavior that they share. */
export const modes: readonly {
  readonly mode: string;
  createBackend(options?: MemoryBackendOptions): Backend;
}[] = [
  { mode: "atomic recording", createBackend: createMemoryBackend },
  { mode: "two separate stores", createBackend: createComposedBackend },
];
