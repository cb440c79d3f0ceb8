import { quickStartOn } from "../../docs/quick-starts.js";
import { onStore, readStoreOption } from "../../runtimes/quick-starts/on-store.js";
import { page } from "../../support/pages.js";
import { filesIn } from "../sections.js";
import { type Application, application, newest, reportsAt } from "./application.js";
import { HOME, limitOnNext, ON_NEXT } from "./plugins.js";

/** The store of the quick start, so that several processes see its operations. */
export const store = readStoreOption(page("docs/sqlite.md"));

/** The installed packages are outside of the project. */
const CONFIG = `export default { outputFileTracingRoot: "/", turbopack: { root: "/" },${ON_NEXT} };`;

/** The arguments for a command of Next.js. */
export const next = (command: "build" | "dev" | "start"): readonly string[] => [
  "node_modules/next/dist/bin/next",
  command,
];

const files = [
  ...filesIn(onStore(quickStartOn("Next.js"), store)),
  { path: "next.config.js", text: CONFIG },
  { path: "app/route.js", text: `export const GET = () => new Response("${HOME}");` },
];

export const nextQuickStart = application({
  name: "Next.js in the quick start",
  files: [...files, limitOnNext("proxy")],
  runtime: newest,
  serve: next("start"),
  variables: { NEXT_MANUAL_SIG_HANDLE: "1" },
  mounted: reportsAt("/api"),
  previous: { files: [...files, limitOnNext("middleware")] },
});

/** The same, built into a folder that needs no other. */
export const nextStandalone: Application = {
  ...nextQuickStart,
  name: "Next.js standalone",
  files: nextQuickStart.files.map((file) =>
    file.path === "next.config.js"
      ? { ...file, text: file.text.replace("{", '{ output: "standalone",') }
      : file,
  ),
  build: next("build"),
  serve: ["server.js"],
};
