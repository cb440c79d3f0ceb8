import { createMemoryBackend } from "async-request-reply";
import { afterAll, describe, expect, it } from "vitest";
import { type Mounted, ordersAt, reportsAt } from "../frameworks/applications/application.js";
import { openFrameworkBlocks } from "./framework-blocks.js";
import { type WorkerModule, workerOnPostgres } from "./worker-on-postgres.js";

const blocks = openFrameworkBlocks();
afterAll(() => blocks.remove());

type Serve = (request: Request) => Promise<Response>;
type Hook = (input: { readonly event: { readonly request: Request }; resolve: Serve }) => Promise<Response>;

interface Platform {
  readonly heading: string;
  readonly base: string;
  readonly mounted: Mounted;
  serve(): Promise<Serve>;
}

/** Each platform calls the export that its conventions name. */
const platforms: readonly Platform[] = [
  {
    heading: "SvelteKit",
    base: "/api",
    mounted: ordersAt("/api"),
    serve: async () => {
      const { handle } = await blocks.load<{ handle: Hook }>("SvelteKit");
      const resolve = () => Promise.reject(new Error("The hook left the request to the routes"));
      return (request) => handle({ event: { request }, resolve });
    },
  },
  ...["Bun", "Deno"].map((heading) => ({
    heading,
    base: "",
    mounted: reportsAt(""),
    serve: async () => (await blocks.loadQuickStart<{ default: { fetch: Serve } }>(heading)).default.fetch,
  })),
  {
    heading: "Cloudflare Workers",
    base: "",
    mounted: ordersAt(""),
    serve: async () => {
      const { default: worker } = await blocks.loadBlock<WorkerModule>(workerOnPostgres());
      // Each request opens and closes its own service, on one store.
      const backend = { ...createMemoryBackend(), close: async () => {} };
      return (request) => worker.fetch(request, { backend }, { waitUntil: () => {} });
    },
  },
];

describe.each(platforms)(
  "the module for $heading",
  async ({ base, mounted: { path, body, repeatedMember }, serve }) => {
    const answer = await serve();
    const authorization = "Bearer demo-token";

    function send(method: string, target: string, sent?: string): Promise<Response> {
      const headers = { authorization, "content-type": "application/json" };
      return answer(new Request(`https://shop.example${target}`, { method, headers, body: sent ?? null }));
    }

    it("accepts work and serves its operation at Location", async () => {
      const accepted = await send("POST", path, body);
      expect(accepted.status).toBe(202);
      const { operationId } = (await accepted.json()) as { readonly operationId: string };
      const location = accepted.headers.get("location") ?? "";
      expect(location).toBe(`${base}/operations/${operationId}`);
      const operation = await send("GET", location);
      expect(operation.status).toBe(200);
      expect(await operation.json()).toMatchObject({ operationId });
      const head = await send("HEAD", location);
      expect([head.status, await head.text()]).toEqual([200, ""]);
    });

    it("gets the bytes unchanged", async () => {
      const refused = await send("POST", path, repeatedMember);
      expect(refused.status).toBe(400);
    });

    it("lets the service handle the methods", async () => {
      const options = await send("OPTIONS", path);
      const refused = await send("DELETE", path);
      expect([options.status, refused.status]).toEqual([204, 405]);
      expect(refused.headers.get("allow")).toBe("POST, OPTIONS");
    });
  },
);
