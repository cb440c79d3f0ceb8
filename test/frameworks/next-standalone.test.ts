import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSkipped } from "../runtimes/matrix.js";
import { freePort } from "../support/free-port.js";
import { nextStandalone } from "./applications/next.js";
import { behaviors, finishesRequests } from "./behaviors.js";
import { openProjects, type Projects } from "./project.js";
import { type Server, startServer } from "./server.js";

const { runtime, serve, variables, own } = nextStandalone;

const isMissing = !existsSync(join(import.meta.dirname, "node_modules")) && !process.env.CI;

describe.skipIf(isMissing || isSkipped(runtime))(
  "the standalone output of Next.js, in another folder",
  () => {
    let projects: Projects;
    let elsewhere: string;
    let server: Server;
    beforeAll(async () => {
      elsewhere = mkdtempSync(join(tmpdir(), "standalone-"));
      projects = openProjects();
      const port = await freePort();
      const project = await projects.create(nextStandalone, import.meta.dirname, port);
      renameSync(join(project, ".next/standalone"), join(elsewhere, "root"));
      rmSync(project, { recursive: true });
      // It has the same folders as the root of the trace.
      server = await startServer(runtime, serve, {
        folder: join(elsewhere, "root", project),
        port,
        variables,
      });
    }, 300_000);
    afterAll(async () => {
      await server?.kill();
      projects?.remove();
      rmSync(elsewhere, { recursive: true });
    });

    for (const { name, run } of [...own, ...behaviors, finishesRequests])
      it(name, () => expect(run(server, nextStandalone)).resolves.toBeUndefined());
  },
);
