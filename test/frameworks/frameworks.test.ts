import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSkipped } from "../runtimes/matrix.js";
import { freePort } from "../support/free-port.js";
import { blocksOf, page } from "../support/pages.js";
import type { Application } from "./applications/application.js";
import { functionsFramework } from "./applications/functions-framework.js";
import { nestjs } from "./applications/nestjs.js";
import { quickStarts } from "./applications/quick-starts.js";
import { reactRouter } from "./applications/react-router.js";
import { orpc, trpc } from "./applications/rpc.js";
import { elysia, fastify, h3, koa, nitro } from "./applications/servers.js";
import { sveltekit } from "./applications/sveltekit.js";
import { behaviors, finishesRequests } from "./behaviors.js";
import { openProjects, type Projects } from "./project.js";
import { exampleFiles } from "./sections.js";
import { type Server, startServer } from "./server.js";

const applications: readonly Application[] = [
  ...nestjs,
  trpc,
  orpc,
  fastify,
  koa,
  h3,
  elysia,
  sveltekit,
  reactRouter,
  nitro,
  functionsFramework,
  ...quickStarts,
];

/** The previous major versions are in another folder, because frameworks import their parts by name. */
const onVersions = applications.flatMap((application) => {
  const { name, previous } = application;
  const current = { name, application, frameworks: import.meta.dirname };
  if (previous === undefined) return [current];
  const older = { ...application, ...previous, name: `${name}, previous major version` };
  return [
    current,
    { name: older.name, application: older, frameworks: join(import.meta.dirname, "previous") },
  ];
});

const [current, older] = [".", "previous"].map(
  (folder) =>
    JSON.parse(readFileSync(join(import.meta.dirname, folder, "package.json"), "utf8")).dependencies,
) as [Dependencies, Dependencies];
type Dependencies = Readonly<Record<string, string>>;

const majorOf = (version: string | undefined): string | undefined => version?.match(/\d+(?=\.)/)?.[0];

const isMissing = !existsSync(join(import.meta.dirname, "previous/node_modules")) && !process.env.CI;

describe("the pages about frameworks", () => {
  it("show files of at most 40 lines of code", () => {
    const blocks = [page("docs/frameworks.md"), page("docs/quick-start.md")].flatMap((each) =>
      blocksOf(each, "js", "ts"),
    );
    const shown = blocks.map(({ place, text }) => ({ path: place, text }));
    const examples = ["examples/nestjs", "examples/rpc"].flatMap(exampleFiles);
    const lines = [...shown, ...examples].map(({ path, text }) => ({
      path,
      count: text.split("\n").filter((line) => line.trim()).length,
    }));
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter(({ count }) => count > 40)).toEqual([]);
  });

  it("name the versions that are tested", () => {
    const rows = [...page("docs/frameworks.md").text.matchAll(/^\| .*`(\S+)` \| (\d+)(?:, (\d+))? \|$/gm)];
    expect(rows.length).toBeGreaterThan(5);
    for (const [, name = "", major = "", previous] of rows) {
      // An alias is called after its major version.
      expect([majorOf(current[`${name}-${major}`] ?? current[name]), name]).toEqual([major, name]);
      expect([majorOf(older[name]), name]).toEqual([previous, name]);
    }
  });
});

describe.skipIf(isMissing)("an application as the page shows it, with the packed package", () => {
  let projects: Projects;
  beforeAll(() => {
    projects = openProjects();
  });
  afterAll(() => projects?.remove());

  // The tests of one application follow each other, because the last one ends it.
  describe.concurrent.each(onVersions)("$name", ({ application, frameworks }) => {
    const { runtime, serve, own, ending = finishesRequests } = application;
    describe.skipIf(isSkipped(runtime))(`on ${runtime.name}`, () => {
      let server: Server;
      beforeAll(async () => {
        const port = await freePort();
        const folder = await projects.create(application, frameworks, port);
        server = await startServer(runtime, serve, { folder, port });
      });
      afterAll(() => server?.kill());

      for (const { name, run } of [...own, ...behaviors, ending])
        it.sequential(name, ({ expect }) => expect(run(server, application)).resolves.toBeUndefined());
    });
  });

  it("compiles with the types of the frameworks", () => {
    expect(projects.typeErrors(applications)).toEqual([]);
  });
});
