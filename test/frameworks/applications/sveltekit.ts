import { expect } from "vitest";
import { filesOf } from "../sections.js";
import { type Application, type Behavior, ordersAt } from "./application.js";
import { HOME, leavesOtherPaths } from "./other-paths.js";
import { installed, newest } from "./runtimes.js";

const CONFIG = `
import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";

export default { plugins: [sveltekit({ adapter: adapter() })], logLevel: "silent" };
`;

const refusesForms: Behavior = {
  name: "refuses DELETE without Content-Type before the hook, unless Origin is its own",
  run: async (server, { mounted: { path } }) => {
    expect((await server.fetch(path, { method: "DELETE" })).status).toBe(403);
    // The adapter assumes HTTPS, unless the variable ORIGIN says otherwise.
    const headers = { origin: `https://127.0.0.1:${server.port}` };
    expect((await server.fetch(path, { method: "DELETE", headers })).status).toBe(405);
  },
};

/** The hook of the page in a minimal project, built for Node. */
export const sveltekit: Application = {
  name: "SvelteKit",
  files: [
    ...filesOf("docs/frameworks.md", "SvelteKit"),
    { path: "vite.config.js", text: CONFIG },
    { path: "src/app.html", text: "<head>%sveltekit.head%</head><body>%sveltekit.body%</body>" },
    { path: "src/routes/+page.svelte", text: HOME },
  ],
  runtime: newest,
  build: [installed("vite/bin/vite.js"), "build"],
  serve: ["build/index.js"],
  mounted: ordersAt("/api"),
  endsWith: 0,
  own: [leavesOtherPaths, refusesForms],
};
