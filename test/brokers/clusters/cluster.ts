import type { PrivateBroker } from "../private-broker.js";
import type { TestedBroker } from "../tested-broker.js";

/** A node of a cluster, with the name that the broker gives it. */
export type ClusterNode = PrivateBroker & { readonly name: string };

/** Three nodes of a broker on this machine, which share their queues. */
export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  /** Returns the name of the node that leads the queue of the orders. All nodes must run. */
  leader(): Promise<string | undefined>;
  /** Whether every node has a copy of the queue of the orders that is up to date. All nodes must run. */
  isComplete(): Promise<boolean>;
}

/** A broker that can run as a cluster. */
export interface TestedCluster {
  readonly broker: TestedBroker;
  /** Options with which each process opens its queue, so that every node has a copy. */
  readonly queueOptions: { readonly replicas?: number; readonly queueType?: "quorum" };
  start(): Promise<Cluster>;
}
