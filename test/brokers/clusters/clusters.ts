import { vi } from "vitest";
import type { FaultBench } from "../../faults/fault-bench.js";
import { useFaultBench } from "../../faults/use-fault-bench.js";
import { useOpen } from "../../servers/use-open.js";
import {
  describeWithPostgres,
  type PostgresInstallation,
} from "../../support/postgres/postgres-installation.js";
import { brokers } from "../brokers.js";
import { RING } from "../harnesses.js";
import { DEFAULT_NAME } from "../mixes.js";
import type { TestedClient } from "../tested-broker.js";
import type { Cluster, TestedCluster } from "./cluster.js";
import { natsCluster } from "./nats-cluster.js";
import { rabbitmqCluster } from "./rabbitmq-cluster.js";

/** Processes on Postgres, with a cluster of brokers between them. */
export interface ClusterMix {
  /** The bench of the store. Its processes connect to all nodes of the cluster. */
  bench(): FaultBench;
  cluster(): Cluster;
  /** A connection to the first node. */
  client(): TestedClient;
}

/** Time for a node to catch up, and for a new cluster to elect its leaders. */
const CATCHING_UP = { timeout: 60_000, interval: 200 };

/** Declares the same tests on Postgres with a cluster of RabbitMQ and one of NATS. */
export function describeOnEachCluster(title: string, declare: (mix: ClusterMix) => void): void {
  for (const tested of [rabbitmqCluster, natsCluster].filter(({ broker }) => brokers.includes(broker)))
    describeWithPostgres(`${title}, on Postgres and a cluster of ${tested.broker.name}`, (installation) =>
      declare(useCluster(tested, installation)),
    );
}

function useCluster(tested: TestedCluster, installation: PostgresInstallation): ClusterMix {
  const { broker, queueOptions } = tested;
  const storeBench = useFaultBench(installation);
  const cluster = useOpen(tested.start, ({ nodes }) => Promise.all(nodes.map(({ remove }) => remove())));
  const client = useOpen(
    async () => {
      const connected = await broker.connect(cluster().nodes[0]?.port ?? 0);
      await createOrdersQueue(connected, tested);
      await settle(cluster());
      return connected;
    },
    (connected) => connected.close(),
  );
  const urls = (): readonly string[] =>
    cluster().nodes.map(({ port }) => `${broker.scheme}://127.0.0.1:${port}`);
  return {
    cluster,
    client,
    bench: () => {
      const own = storeBench();
      return { ...own, start: (process) => own.start({ queue: urls(), broker: queueOptions, ...process }) };
    },
  };
}

/** Creates the queue of the orders as soon as the nodes of a new cluster have found each other. */
async function createOrdersQueue(client: TestedClient, { queueOptions }: TestedCluster): Promise<void> {
  const queue = client.createQueue({ name: DEFAULT_NAME, ...queueOptions });
  const onRing = vi.fn();
  queue.listen({ onRing, onError: () => {} }).want(new Set(["orders"]));
  const ring = (): Promise<boolean> =>
    queue.publish([RING]).then(
      () => onRing.mock.calls.length > 0,
      () => false,
    );
  await vi.waitUntil(ring, CATCHING_UP);
  await queue.close();
}

/** Restarts the nodes in turn, so that killing one loses no queue: see `settle` of a private broker. */
async function settle(cluster: Cluster): Promise<void> {
  for (const node of cluster.nodes) {
    await untilComplete(cluster);
    await node.settle();
  }
  await untilComplete(cluster);
}

/** Waits until every node has a copy of the queue that is up to date. All nodes must run. */
export async function untilComplete(cluster: Cluster): Promise<void> {
  const isComplete = (): Promise<boolean> => cluster.isComplete().catch(() => false);
  await vi.waitUntil(isComplete, CATCHING_UP);
}
