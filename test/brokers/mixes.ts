import type { Queue } from "async-request-reply";
import { describe } from "vitest";
import type { ChaosBench } from "../faults/chaos.js";
import type { StoreName } from "../faults/use-fault-bench.js";
import { useFaultBench, useSqliteBench } from "../faults/use-fault-bench.js";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { brokers } from "./brokers.js";
import { type OpenPrivateBroker, usePrivateBroker } from "./harnesses.js";
import type { TestedBroker } from "./tested-broker.js";

/** Processes on a store, with a message broker between them. */
export interface Mix extends OpenPrivateBroker {
  readonly store: StoreName;
  readonly broker: TestedBroker;
  /** The bench of the store. Its processes use the broker, and so does `publish`. */
  bench(): ChaosBench;
  /** URL of the broker. Pass `port` to connect through a proxy. */
  url(port?: number): string;
}

/** Name of the queues, the stream and the keys of the processes, which use the defaults. */
export const DEFAULT_NAME = "async-request-reply-rings";

/** Declares the same tests on Postgres with each broker, and on SQLite with NATS. */
export function describeOnEachMix(
  title: string,
  declare: (mix: Mix) => void,
  options: { readonly fsync?: boolean } = {},
): void {
  for (const broker of brokers) {
    describeWithPostgres(`${title}, on Postgres and ${broker.name}`, (installation) =>
      declare(mixOf("Postgres", useFaultBench(installation, options), broker)),
    );
    if (broker.name === "NATS")
      describe(`${title}, on SQLite and NATS`, () => declare(mixOf("SQLite", useSqliteBench(), broker)));
  }
}

function mixOf(store: StoreName, storeBench: () => ChaosBench, broker: TestedBroker): Mix {
  const opened = usePrivateBroker(broker);
  const url = (port = opened.port()): string => `${broker.scheme}://127.0.0.1:${port}`;
  let queue: Queue | undefined;
  const publish: Queue["publish"] = (rings) => {
    queue ??= opened.client().createQueue({ name: DEFAULT_NAME });
    return queue.publish(rings);
  };
  return {
    ...opened,
    store,
    broker,
    url,
    bench: () => {
      const own = storeBench();
      return {
        ...own,
        broker: opened.server(),
        publish,
        start: (process) => own.start({ queue: url(), ...process }),
      };
    },
  };
}
