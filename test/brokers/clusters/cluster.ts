import type { PrivateBroker } from "../private-broker.js";
import type { TestedBroker } from "../tested-broker.js";

/** Three nodes of a broker on this machine, which share their queues. */
export interface Cluster {
  readonly nodes: readonly PrivateBroker[];
  /** Returns the node that leads the queue of the orders. All nodes must run. */
  leader(): Promise<PrivateBroker>;
  /** Whether every node has a copy of the queue of the orders that is up to date. All nodes must run. */
  isComplete(): Promise<boolean>;
  /** Kills the nodes and removes their files. */
  remove(): Promise<void>;
}

/** A broker that can run as a cluster. */
export interface TestedCluster {
  readonly broker: TestedBroker;
  /** Options with which each process opens its queue, so that every node has a copy. */
  readonly queueOptions: { readonly replicas?: number; readonly queueType?: "quorum" };
  start(): Promise<Cluster>;
}

/** Returns the node with a name. */
export function nodeNamed(
  nodes: readonly PrivateBroker[],
  nameOf: (node: PrivateBroker) => string,
  name: string | undefined,
): PrivateBroker {
  const found = nodes.find((node) => nameOf(node) === name);
  if (found === undefined)
    throw new Error(`The queue has no leader. The broker names ${JSON.stringify(name)}.`);
  return found;
}

/** Removes all nodes of a cluster. */
export async function removeAll(nodes: readonly PrivateBroker[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.remove()));
}
