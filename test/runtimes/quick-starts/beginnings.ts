import { quickStartOn } from "../../docs/quick-starts.js";
import { isNight } from "../../support/effort.js";
import { type Page, page } from "../../support/pages.js";
import { nodes, type Runtime } from "../matrix.js";

const readme = page("README.md");

/** The pages that a reader follows first, on any supported version of Node. The rest of the README is about this repository. */
export const beginnings: readonly Page[] = [
  { ...readme, text: readme.text.slice(0, readme.text.indexOf("## What you get")) },
  quickStartOn("Node.js"),
];

/**
 * The versions of Node on which these pages are followed with each store too. The drivers of Postgres are the same on all
 * of them, and sqlite.test.ts plays the suites on every `node:sqlite`, so before a merge one version is enough.
 */
export const nodesWithStores: readonly Runtime[] = nodes.filter(({ name }) =>
  (isNight ? ["Node 22", "Node 24"] : ["Node 24"]).includes(name),
);
