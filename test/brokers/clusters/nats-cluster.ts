import { freePort } from "../../support/free-port.js";
import { loadLibrary } from "../libraries.js";
import { DEFAULT_NAME } from "../mixes.js";
import { nats, startNats } from "../nats.js";
import type { PrivateBroker } from "../private-broker.js";
import { type Cluster, nodeNamed, removeAll, type TestedCluster } from "./cluster.js";

interface Connection {
  close(): Promise<void>;
}

interface TransportNode {
  connect(options: object): Promise<Connection>;
}

interface StreamInfo {
  readonly cluster: {
    readonly leader?: string;
    readonly replicas?: readonly { readonly current: boolean; readonly offline?: boolean }[];
  };
}

interface JetStreamLibrary {
  jetstreamManager(
    connection: Connection,
    options: { readonly checkAPI: false },
  ): Promise<{ readonly streams: { info(stream: string): Promise<StreamInfo> } }>;
}

async function start(): Promise<Cluster> {
  const routes = await Promise.all([freePort(), freePort(), freePort()]);
  const urls = routes.map((port) => `nats://127.0.0.1:${port}`);
  const names = new Map<PrivateBroker, string>();
  const startNode = async (url: string, index: number): Promise<PrivateBroker> => {
    const name = `node-${index}`;
    const membership = [
      "--name",
      name,
      "--cluster_name",
      "tests",
      "--cluster",
      url,
      "--routes",
      urls.join(","),
    ];
    const node = await startNats(membership);
    names.set(node, name);
    return node;
  };
  const nodes = await Promise.all(urls.map(startNode));
  const nameOf = (node: PrivateBroker): string => names.get(node) ?? "";
  return {
    nodes,
    leader: async () => nodeNamed(nodes, nameOf, (await clusterOfStream(nodes)).leader),
    isComplete: async () => {
      const { leader, replicas = [] } = await clusterOfStream(nodes);
      const current = replicas.filter(({ current, offline = false }) => current && !offline);
      return leader !== undefined && current.length === nodes.length - 1;
    },
    remove: () => removeAll(nodes),
  };
}

async function clusterOfStream([first]: readonly PrivateBroker[]): Promise<StreamInfo["cluster"]> {
  const { connect } = loadLibrary<TransportNode>("@nats-io/transport-node");
  const { jetstreamManager } = loadLibrary<JetStreamLibrary>("@nats-io/jetstream");
  const connection = await connect({ servers: `127.0.0.1:${first?.port}` });
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    return (await streams.info(DEFAULT_NAME)).cluster;
  } finally {
    await connection.close();
  }
}

/** NATS with a stream of three replicas. */
export const natsCluster: TestedCluster = { broker: nats, queueOptions: { replicas: 3 }, start };
