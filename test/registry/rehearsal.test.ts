import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { postgresMigrations } from "async-request-reply/postgres";
import { beforeAll, describe, type ExpectStatic, it } from "vitest";
import { isSkipped, nodes, programOf, type Runtime } from "../runtimes/matrix.js";
import { beginnings, readmeStart } from "../runtimes/quick-starts/beginnings.js";
import { follow } from "../runtimes/quick-starts/follow.js";
import { readQuickStart } from "../runtimes/quick-starts/quick-start.js";
import { openTerminal, type Terminal } from "../runtimes/quick-starts/terminal.js";
import { useOpen } from "../servers/use-open.js";
import { manifest, root } from "../support/built.js";
import type { Page } from "../support/pages.js";
import { type Habit, npm, pnpm, runtimeHabits, translate, yarn } from "./managers.js";
import { openRegistry } from "./registry.js";
import { release, repository } from "./release.js";

/** Follows a page for npm and Node with other programs. Tests pass their own `expect`, because several run at the same time. */
async function followed(
  expect: ExpectStatic,
  page: Page,
  habit: Habit,
  url: string,
  node?: Runtime,
): Promise<void> {
  const terminal = openTerminal(url, node && { node: programOf(node) });
  const start = performance.now();
  try {
    await expect(follow(readQuickStart(translate(page, habit)), terminal)).resolves.toBeUndefined();
    expect(performance.now() - start).toBeLessThan(60_000);
  } finally {
    await terminal.close();
  }
}

describe("a release with the settings of the workflow", () => {
  const registry = useOpen(openRegistry, (opened) => opened.close());

  it("asks for the identity that signs its provenance, and publishes nothing without one", async ({
    expect,
  }) => {
    const audiences: (string | null)[] = [];
    const identities = createServer(({ url = "" }, res) => {
      audiences.push(new URL(url, "http://localhost").searchParams.get("audience"));
      res.writeHead(404).end();
    });
    const url = await listen(identities);
    const variables = {
      GITHUB_ACTIONS: "true",
      ACTIONS_ID_TOKEN_REQUEST_URL: url,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "token",
      // Nothing of the build is needed for this.
      NPM_CONFIG_IGNORE_SCRIPTS: "true",
    };
    await expect(release(registry(), variables)).rejects.toThrow();
    identities.close();
    expect(audiences).toContain("sigstore");
    expect((await fetch(registry().url + manifest.name)).status).toBe(404);
  });
});

describe.concurrent("a released package", () => {
  const registry = useOpen(openRegistry, (opened) => opened.close());
  let tags: string;
  beforeAll(async () => {
    // Only GitHub has the identities that sign.
    tags = await release(registry(), { NPM_CONFIG_PROVENANCE: "false" });
  });
  const open = (): Terminal => openTerminal(registry().url);

  it("has a tag, a license and the address of its repository", async ({ expect }) => {
    expect(tags).toBe(`v${manifest.version}\n`);
    const reply = await fetch(`${registry().url}${manifest.name}/latest`);
    expect(await reply.json()).toMatchObject({
      version: manifest.version,
      license: "MIT",
      repository: { type: "git", url: `git+https://github.com/${repository}.git` },
    });
  });

  describe("installed with npm", () => {
    const terminal = useOpen(open, (opened) => opened.close());
    const found = async (...texts: string[]): Promise<string> => {
      const patterns = texts.map((text) => `-e '${text}'`).join(" ");
      return terminal().run(`grep -rlF ${patterns} node_modules/${manifest.name} || true`);
    };
    beforeAll(() => terminal().run(npm.install(manifest.name)));

    it("has no source maps, and no paths of the machine that built it", async ({ expect }) => {
      expect(await found("createService")).toContain("dist/index.js\n");
      expect(await found("sourceMappingURL", root, `${tmpdir()}/`, `${homedir()}/`)).toBe("");
    });
  });

  describe.each([npm, pnpm, yarn])("installed with $name", ({ install }) => {
    const terminal = useOpen(open, (opened) => opened.close());
    it("has types with which the program of the README compiles", async ({ expect }) => {
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const options = "--strict --allowJs --checkJs --noEmit --module nodenext --target es2022 --types node";
      await terminal().run(install(manifest.name, "zod", "@types/node"));
      for (const action of readQuickStart(readmeStart).preparation)
        if ("path" in action) terminal().write(action.path, action.text);
      await expect(terminal().run(`node ${compiler} ${options} server.mjs`)).resolves.toBe("");
    });
  });

  describe.each([npm, pnpm, yarn, ...runtimeHabits])("installed with $name", ({ install, printSql }) => {
    const terminal = useOpen(open, (opened) => opened.close());
    it("prints the SQL of Postgres", async ({ expect }) => {
      await terminal().run(install(manifest.name));
      expect(await terminal().run(printSql)).toBe(postgresMigrations().join("\n"));
    });
  });

  it.for(runtimeHabits)("gives the output of README.md on $name", (habit, { expect }) =>
    followed(expect, readmeStart, habit, registry().url),
  );

  describe.each(nodes)("on $name", (node) => {
    it.skipIf(isSkipped(node)).for(beginnings)("gives the output of $path with npm", (page, { expect }) =>
      followed(expect, page, npm, registry().url, node),
    );
    it.skipIf(isSkipped(node)).for([pnpm, yarn])(
      "gives the output of README.md with $name",
      (habit, { expect }) => followed(expect, readmeStart, habit, registry().url, node),
    );
  });
});

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
