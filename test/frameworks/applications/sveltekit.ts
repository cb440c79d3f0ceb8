import { expect } from "vitest";
import type { SourceFile } from "../project.js";
import { filesOf } from "../sections.js";
import { application, type Behavior, newest, ordersAt } from "./application.js";
import { HOME, keepsPlugins, leavesOtherPaths, ON_SVELTEKIT } from "./plugins.js";

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

/** The hook of the page, after a hook with CORS and a cookie. */
const hooks = filesOf("docs/frameworks.md", "SvelteKit").map(({ path, text }) => ({
  path,
  text: ON_SVELTEKIT.imports + text.replace("export const handle:", "const orders:") + ON_SVELTEKIT.hook,
}));

const home: readonly SourceFile[] = [
  { path: "src/app.html", text: "<head>%sveltekit.head%</head><body>%sveltekit.body%</body>" },
  { path: "src/routes/+page.svelte", text: HOME },
];

/** The hook of the page in a minimal project, built for Node. */
export const sveltekit = application({
  name: "SvelteKit",
  files: [...hooks, ...home, { path: "vite.config.js", text: CONFIG }],
  runtime: newest,
  build: ["node_modules/vite/bin/vite.js", "build"],
  serve: ["build/index.js"],
  mounted: ordersAt("/api"),
  own: [leavesOtherPaths, refusesForms, ...keepsPlugins],
  previous: {
    own: [leavesOtherPaths, ...keepsPlugins],
    files: [
      ...hooks.map(({ path, text }) => ({
        path,
        text: text.replace(/(import type .*)"@sveltejs\/kit\/hooks"/, '$1"@sveltejs/kit"'),
      })),
      ...home,
      { path: "vite.config.js", text: CONFIG.replace(/sveltekit\(\{.*\}\)\]/, "sveltekit()]") },
      {
        path: "svelte.config.js",
        text: 'import adapter from "@sveltejs/adapter-node";\nexport default { kit: { adapter: adapter() } };',
      },
    ],
  },
});
