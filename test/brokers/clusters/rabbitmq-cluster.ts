import { DEFAULT_NAME } from "../mixes.js";
import { rabbitmq } from "../rabbitmq.js";
import { nodeNameOf, rabbitmqctl, startRabbitmq } from "../rabbitmq-server.js";
import type { Cluster, TestedCluster } from "./cluster.js";

interface QueueStatus {
  readonly name: string;
  readonly leader: string;
  /** Names of the nodes whose copy of the queue takes part. */
  readonly online: readonly string[];
}

/** Settings with which a node joins the cluster of another one when it starts for the first time. */
const joining = (name: string): readonly string[] => [
  "cluster_formation.peer_discovery_backend = classic_config",
  `cluster_formation.classic_config.nodes.1 = ${name}`,
  "cluster_formation.randomized_startup_delay_range.min = 0",
  "cluster_formation.randomized_startup_delay_range.max = 1",
];

async function start(): Promise<Cluster> {
  const first = await startRabbitmq();
  const conf = joining(nodeNameOf(first));
  const started = [first, ...(await Promise.all([startRabbitmq(conf), startRabbitmq(conf)]))];
  const nodes = started.map((node) => ({ ...node, name: nodeNameOf(node) }));
  const status = async (): Promise<QueueStatus | undefined> => {
    const queues = (await rabbitmqctl(first, ["list_queues", "name", "leader", "online"])) as QueueStatus[];
    return queues.find(({ name }) => name === `${DEFAULT_NAME}.orders`);
  };
  return {
    nodes,
    leader: async () => (await status())?.leader,
    isComplete: async () => (await status())?.online.length === nodes.length,
  };
}

/** RabbitMQ with quorum queues, which have a copy on each node. */
export const rabbitmqCluster: TestedCluster = {
  broker: rabbitmq,
  queueOptions: { queueType: "quorum" },
  start,
};
