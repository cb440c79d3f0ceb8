import { filesOf } from "../sections.js";
import { application, newest, ordersAt } from "./application.js";
import { HOME, ON_REACT_ROUTER } from "./plugins.js";

const ROUTES = `
import { index, route } from "@react-router/dev/routes";

export default [index("home.ts"), route("api/*", "routes/operations.ts")];
`;

const ROOT = `
export default function Root() {
  return null;
}
${ON_REACT_ROUTER}`;

/** React Router looks into it for the platform. */
const MANIFEST = '{ "type": "module", "dependencies": { "@react-router/node": "*", "isbot": "*" } }';

const files = [
  { path: "package.json", text: MANIFEST },
  ...filesOf("docs/frameworks.md", "React Router and Remix"),
  { path: "app/routes.ts", text: ROUTES },
  { path: "app/root.ts", text: ROOT },
  { path: "app/home.ts", text: `export const loader = () => new Response("${HOME}");` },
  {
    path: "vite.config.js",
    text: 'import { reactRouter } from "@react-router/dev/vite";\nexport default { plugins: [reactRouter()], logLevel: "silent" };',
  },
];

/** The resource route of the page, in an application that the server of React Router serves. */
export const reactRouter = application({
  name: "React Router",
  files,
  runtime: newest,
  build: ["node_modules/.bin/react-router", "build"],
  serve: ["node_modules/.bin/react-router-serve", "build/server/index.js"],
  mounted: ordersAt("/api"),
  previous: {
    files: [
      ...files,
      { path: "react-router.config.ts", text: "export default { future: { v8_middleware: true } };" },
    ],
  },
});
