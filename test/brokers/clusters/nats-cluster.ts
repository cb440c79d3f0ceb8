import { freePort } from "../../support/free-port.js";
import { DEFAULT_NAME } from "../mixes.js";
import { connectNats, nats, type StreamCluster, startNats, streamsOf } from "../nats.js";
import type { Cluster, ClusterNode, TestedCluster } from "./cluster.js";

async function start(): Promise<Cluster> {
  const routes = await Promise.all([freePort(), freePort(), freePort()]);
  const urls = routes.map((port) => `nats://127.0.0.1:${port}`);
  const startNode = async (url: string, index: number): Promise<ClusterNode> => {
    const name = `node-${index}`;
    const options = { name, cluster_name: "tests", cluster: url, routes: urls.join(",") };
    const args = Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]);
    return { ...(await startNats(args)), name };
  };
  const nodes = await Promise.all(urls.map(startNode));
  return {
    nodes,
    leader: async () => (await clusterOfStream(nodes)).leader,
    isComplete: async () => {
      const { leader, replicas = [] } = await clusterOfStream(nodes);
      const current = replicas.filter(({ current, offline = false }) => current && !offline);
      return leader !== undefined && current.length === nodes.length - 1;
    },
  };
}

async function clusterOfStream([first]: readonly ClusterNode[]): Promise<StreamCluster> {
  const { connection, jetstream } = await connectNats(first?.port ?? 0);
  try {
    const streams = await streamsOf(jetstream);
    return (await streams.info(DEFAULT_NAME)).cluster ?? {};
  } finally {
    await connection.close();
  }
}

/** NATS with a stream of three replicas. */
export const natsCluster: TestedCluster = { broker: nats, queueOptions: { replicas: 3 }, start };
