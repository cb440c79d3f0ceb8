import { type Backend, withQueue } from "async-request-reply";
import { afterEach } from "vitest";
import { storeCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createNodeHarness } from "../support/node-harness.js";
import { describePostgres } from "../support/postgres/server.js";
import { describeClients } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import type { TestedBroker } from "./tested-broker.js";

/** A store of one case, and how to remove it. */
interface OpenStore {
  readonly backend: Backend;
  close(): Promise<void>;
}

function declareCases(broker: TestedBroker, open: () => OpenStore): void {
  const { client } = useBroker(broker);
  const opened: OpenStore[] = [];
  const harness = createNodeHarness(() => {
    const { backend, close } = open();
    const mixed = withQueue(backend, client().createQueue({ name: newQueueName() }));
    opened.push({ backend: mixed, close });
    return mixed;
  });
  afterEach(async () => {
    await harness.close();
    for (const { backend, close } of opened.splice(0)) {
      await backend.close();
      await close();
    }
  });
  declareAdapterCases(harness, storeCases);
}

for (const broker of brokers)
  await describePostgres(
    `the Node adapter with operations in Postgres and rings on ${broker.name}`,
    (server) => declareCases(broker, () => ({ backend: server.open(), close: async () => {} })),
  );

for (const broker of brokers.filter(({ name }) => name === "NATS"))
  describeClients(
    "the Node adapter with operations in SQLite and rings on NATS",
    (client) => {
      const open = (): OpenStore => {
        const file = newDatabaseFile(client);
        return { backend: file.open(), close: () => file.remove() };
      };
      declareCases(broker, open);
    },
    ["libsql"],
  );
