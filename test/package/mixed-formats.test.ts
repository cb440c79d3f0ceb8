import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type * as mainModule from "async-request-reply";
import type * as clientModule from "async-request-reply/client";
import type * as nodeModule from "async-request-reply/node";
import type * as openApiModule from "async-request-reply/openapi";
import type * as yamlModule from "async-request-reply/yaml";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { type Format, load } from "./load.js";

/** Loads the parts of the package that these tests mix. */
const partsOf = async (format: Format) => ({
  main: await load<typeof mainModule>(".", format),
  client: await load<typeof clientModule>("./client", format),
  node: await load<typeof nodeModule>("./node", format),
  openapi: await load<typeof openApiModule>("./openapi", format),
  yaml: await load<typeof yamlModule>("./yaml", format),
});

/** Serves on a free port until the test is finished, and returns the origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each<[Format, Format]>([
  ["import", "require"],
  ["require", "import"],
])("a service that is loaded with %s, and everything else with %s", (ours, theirs) => {
  it("works with each other", async () => {
    const own = await partsOf(ours);
    const other = await partsOf(theirs);
    expect(own.main.createService).not.toBe(other.main.createService);

    const reports = other.main.defineOperation({
      name: "reports",
      path: "/reports",
      input: z.object({ year: z.number() }),
      result: z.object({ pages: z.number() }),
    });
    const service = own.main.createService({
      definitions: [reports],
      authorize: other.main.allowAnonymous(),
      backend: other.main.createMemoryBackend(),
      formats: [other.yaml.yamlFormat],
      list: true,
      observe: false,
    });
    onTestFinished(() => service.close());
    const documented = other.openapi.withOpenApi(service, { info: { title: "Reports", version: "1" } });
    const baseUrl = await serve(other.node.toNodeHandler(documented));
    const worker = other.main.createWorker(service, {
      reports: ({ year }, job) => {
        if (year < 2_000) throw own.main.permanentFailure("There are no such reports.");
        if (job.attempt === 1) throw own.main.retryLater({ afterMs: 0 });
        return { pages: year };
      },
    });
    await worker.start();
    onTestFinished(() => worker.stop());

    const api = own.client.createClient({ baseUrl, definitions: [reports] });
    const done = await api.reports.submit({ year: 2_026 });
    expect(await done.result()).toEqual({ pages: 2_026 });
    const failed = await (await api.reports.submit({ year: 1_999 }))
      .result()
      .catch((error: unknown) => error);
    expect(other.main.isAsyncReplyError(failed) && failed.code).toBe("OPERATION_FAILED");

    const listed = [];
    for await (const { status } of other.client.listOperations(api.reports)) listed.push(status);
    expect(listed).toEqual(["failed", "completed"]);

    const yaml = await fetch(`${baseUrl}/reports`, {
      method: "POST",
      headers: { "content-type": "application/yaml", "idempotency-key": "a" },
      body: "year: no number",
    });
    expect(yaml.status).toBe(422);
    const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as { readonly paths: object };
    expect(Object.keys(document.paths)).toContain("/reports");
  });

  it("reports that memory loses operations in production", async () => {
    const own = await partsOf(ours);
    const other = await partsOf(theirs);
    vi.stubEnv("NODE_ENV", "production");
    onTestFinished(() => void vi.unstubAllEnvs());
    const events: string[] = [];
    const service = own.main.createOrderService({
      authorize: other.main.allowAnonymous(),
      backend: other.main.createMemoryBackend(),
      observe: ({ event }) => events.push(event),
    });
    await service.close();
    expect(events).toContain("service.memory-only");
  });
});
