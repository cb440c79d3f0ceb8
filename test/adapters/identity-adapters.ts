import type { AdapterHarness } from "../support/adapter-suite/fixtures/adapter-case.js";
import { expressVersions } from "../support/express-apps.js";
import { createFetchHarness } from "../support/fetch-harness.js";
import { createNodeHarness } from "../support/node-harness.js";
import { createPredictableBackend } from "./predictable-service.js";

/** A harness that can close everything it mounted. */
export type ClosableHarness = AdapterHarness & { close(): Promise<void> };

/** An adapter that must behave like the others. */
export interface ComparedAdapter {
  readonly adapter: string;
  createHarness(): ClosableHarness;
}

/** The adapter that all others are compared with. */
export const firstAdapter: ComparedAdapter = {
  adapter: "Node",
  createHarness: () => createNodeHarness(createPredictableBackend),
};

/** The adapters that must behave like the first one. */
export const otherAdapters: readonly ComparedAdapter[] = [
  ...expressVersions.map(({ version, toListener }) => ({
    adapter: `Express ${version}`,
    createHarness: () => createNodeHarness(createPredictableBackend, toListener),
  })),
  {
    adapter: "Fetch",
    createHarness: () => ({ ...createFetchHarness(createPredictableBackend), close: async () => {} }),
  },
];

export const allAdapters: readonly ComparedAdapter[] = [firstAdapter, ...otherAdapters];

/** The adapters that can receive requests that the Fetch API cannot express. */
export const adaptersOnSockets: readonly ComparedAdapter[] = allAdapters.filter(
  ({ createHarness }) => createHarness().capabilities.sockets,
);
