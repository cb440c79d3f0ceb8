import { quickStartOn } from "../../docs/quick-starts.js";
import { isNight } from "../../support/effort.js";
import { type Page, page } from "../../support/pages.js";
import { nodes, type Runtime } from "../matrix.js";

const readme = page("README.md");

/** The README without the part that is about this repository. */
export const readmeStart: Page = {
  ...readme,
  text: readme.text.slice(0, readme.text.indexOf("## What you get")),
};

/** The pages that a reader follows first, on any supported version of Node. */
export const beginnings: readonly Page[] = [readmeStart, quickStartOn("Node.js")];

/**
 * The versions of Node on which these pages are followed with each store too. The drivers of Postgres are the same on all
 * of them, and sqlite.test.ts plays the suites on every `node:sqlite`, so before a merge one version is enough.
 */
export const nodesWithStores: readonly Runtime[] = nodes.filter(({ name }) =>
  (isNight ? ["Node 22", "Node 24"] : ["Node 24"]).includes(name),
);
