import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type * as mainModule from "async-request-reply";
import type * as consoleModule from "async-request-reply/console";
import type * as operatorModule from "async-request-reply/operator";
import { describe, expect, it } from "vitest";
import { builtFile } from "../support/built.js";

const require = createRequire(import.meta.url);

const loaders: Readonly<Record<"import" | "require", (subpath: string) => Promise<unknown>>> = {
  import: (subpath) => import(pathToFileURL(builtFile(subpath, "import")).href),
  require: async (subpath) => require(builtFile(subpath, "require")),
};

describe.each(["import", "require"] as const)("the console in the package, with %s", (format) => {
  it.each([
    ["/", "<!doctype html>"],
    ["/console.js", "api/overview"],
    ["/console.css", "prefers-color-scheme"],
    ["/icon.svg", "<svg"],
  ])("has its page: %s", async (path, part) => {
    const load = loaders[format];
    const { createConsole } = (await load("./console")) as typeof consoleModule;
    const { createOperator } = (await load("./operator")) as typeof operatorModule;
    const { createMemoryBackend, defineOrders } = (await load(".")) as typeof mainModule;
    const operator = createOperator({ backend: createMemoryBackend(), definitions: [defineOrders()] });
    const page = createConsole({ operator, authorize: () => "observe" });
    const { status, body } = await page.handle({ method: "GET", path, headers: {} });
    expect(status).toBe(200);
    expect(body).toContain(part);
  });
});
