import type { TestProject } from "vitest/node";
import { brokers } from "./brokers.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Ports of the brokers that all files of a project share, by the name of the broker. */
    brokerPorts?: Readonly<Record<string, number>>;
  }
}

/**
 * Global setup of Vitest: starts each broker once for all files, because RabbitMQ takes up to 10 s to start. The tests of
 * a broker that does not start try it again, so they fail by name.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const starts = await Promise.allSettled(
    brokers.map(async ({ name, startServer }) => ({ name, ...(await startServer()) })),
  );
  const servers = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  project.provide("brokerPorts", Object.fromEntries(servers.map(({ name, port }) => [name, port])));
  return async () => void (await Promise.all(servers.map(({ remove }) => remove())));
}
