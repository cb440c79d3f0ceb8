import { nodes, type Runtime } from "../../runtimes/matrix.js";

/** The oldest supported version of Node. */
export const oldest: Runtime = nodeOf(20);

/** For frameworks that need a later one: the newest with long-term support. */
export const newest: Runtime = nodeOf(24);

function nodeOf(major: number): Runtime {
  return nodes.find(({ name }) => name === `Node ${major}`) as Runtime;
}
