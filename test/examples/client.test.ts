import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerProcess, spawnExample, startServer } from "../support/orders-server-process.js";

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ BACKEND: "memory:", WORK_MS: "1" });
});
afterAll(() => server?.kill());

/** Runs the script against the server, and returns its output. */
async function order(itemId: string): Promise<string> {
  const script = spawnExample("client/dist/client.js", {}, [server.baseUrl, itemId]);
  const [out, error] = await Promise.all([text(script.stdout), text(script.stderr)]);
  return out + error;
}

it("prints the operation and its result", async () => {
  expect(await order("book")).toMatch(
    /^accepted \{"definition":"orders","operationId":"[\da-f-]{36}"\}\ncompleted \{"shipped":true,.*\}\n$/,
  );
});

it("prints the reason if the work fails", async () => {
  expect(await order("fail-1")).toMatch(/\nThe item fail-1 is out of stock\.\n$/);
});
