import type * as mainModule from "async-request-reply";
import type * as consoleModule from "async-request-reply/console";
import type * as operatorModule from "async-request-reply/operator";
import { describe, expect, it } from "vitest";
import { load } from "./load.js";

describe.each(["import", "require"] as const)("the console in the package, with %s", (format) => {
  it.each([
    ["/", "<!doctype html>"],
    ["/console.js", "api/overview"],
    ["/console.css", "prefers-color-scheme"],
    ["/icon.svg", "<svg"],
  ])("has its page: %s", async (path, part) => {
    const { createConsole } = await load<typeof consoleModule>("./console", format);
    const { createOperator } = await load<typeof operatorModule>("./operator", format);
    const { createMemoryBackend, defineOrders } = await load<typeof mainModule>(".", format);
    const operator = createOperator({ backend: createMemoryBackend(), definitions: [defineOrders()] });
    const page = createConsole({ operator, authorize: () => "observe" });
    const { status, body } = await page.handle({ method: "GET", path, headers: {} });
    expect(status).toBe(200);
    expect(body).toContain(part);
  });
});
