import { describe, expect, it } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import { openRemoteStream } from "./event-stream.js";
import { bun, isSkipped } from "./matrix.js";
import { useProject } from "./project.js";
import { startServer, useServer } from "./server-process.js";
import { onFetch, workerInIsolate } from "./servers.js";

const ORDER = { itemId: "book", quantity: 2 };
/** Longer than the longest idle limit that Bun has by default. */
const LONG_WAIT = "wait=12";

const project = useProject();

for (const program of onFetch("following-server")) {
  // The servers wait at the same time, and the tests of one follow each other, because they share its steps.
  describe.concurrent(`a server on ${program.name}`, () => {
    const test = it.skipIf(isSkipped(program.runtime)).sequential;
    const server = useServer(project, program);
    const step = (): Promise<Response> => fetch(`${server().baseUrl}/step`);

    /** Posts an order whose work waits for two steps, and returns its URL. */
    async function submit(): Promise<string> {
      const { baseUrl } = server();
      return baseUrl + (await createOrdersClient(baseUrl).accepted(ORDER));
    }

    test("streams an operation to its end, and answers a client that has the end with 204", async ({
      expect,
    }) => {
      const url = await submit();
      const stream = await openRemoteStream(url);
      expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      await expect.poll(stream.operations).toMatchObject([{ status: "pending" }]);
      await step();
      await expect.poll(() => stream.operations().at(-1)).toMatchObject({ progress: { percent: 50 } });
      await step();
      await expect.poll(() => stream.ended).toBe(true);
      expect(stream.operations().at(-1)).toMatchObject({ status: "completed", result: { shipped: 2 } });
      const { lastEventId = "", data } = stream.received.events.at(-1) ?? {};
      const poll = await fetch(url);
      expect([poll.headers.get("etag"), await poll.text()]).toEqual([lastEventId, data]);
      expect((await openRemoteStream(url, { "last-event-id": lastEventId })).status).toBe(204);
    });

    test("answers a request that waits as soon as the operation ends", async ({ expect }) => {
      const url = await submit();
      const waiting = fetch(url, { headers: { prefer: "wait=20" } });
      await step();
      await step();
      const reply = await waiting;
      expect(reply.headers.get("preference-applied")).toBe("wait=20");
      expect(await reply.json()).toMatchObject({ status: "completed" });
    });

    test("frees the place of a client that disconnects, and does not stop the work", async ({ expect }) => {
      const url = await submit();
      // A stream without a place ends after the current state, so its length is known.
      const hasPlace = async (): Promise<boolean> => {
        const { headers, abort } = await openRemoteStream(url);
        abort();
        return !headers.has("content-length");
      };
      const streams = [await openRemoteStream(url), await openRemoteStream(url)];
      expect(await hasPlace()).toBe(false);
      for (const { abort } of streams) abort();
      await expect.poll(hasPlace).toBe(true);
      await step();
      await step();
      await expect.poll(async () => (await fetch(url)).json()).toMatchObject({ status: "completed" });
    });

    test("keeps a wait and a stream open that are silent for longer than its idle limit", async ({
      expect,
    }) => {
      const url = await submit();
      const stream = await openRemoteStream(url);
      const silent = fetch(`${server().baseUrl}/silent`, { signal: AbortSignal.timeout(30_000) });
      const isCut = silent.then(
        () => false,
        ({ name }: Error) => name !== "TimeoutError",
      );
      const reply = await fetch(url, { headers: { prefer: LONG_WAIT } });
      expect([reply.status, reply.headers.get("preference-applied")]).toEqual([200, LONG_WAIT]);
      expect(await reply.json()).toMatchObject({ status: "pending" });
      expect(stream.received.comments).toBeGreaterThan(0);
      expect(stream.ended).toBe(false);
      if (program.runtime === bun) expect(await isCut).toBe(true);
      stream.abort();
    });
  });
}

describe("a server on workerd", () => {
  it.skipIf(isSkipped(workerInIsolate.runtime))(
    "answers requests for a wait and for a stream at once, because both are turned off",
    async () => {
      const server = await startServer(project(), workerInIsolate);
      try {
        const { submit } = createOrdersClient(server.baseUrl);
        const reply = await submit(ORDER, { prefer: "wait=20" });
        expect([reply.status, reply.headers.get("preference-applied")]).toEqual([202, null]);
        const url = `${server.baseUrl}${reply.headers.get("location")}`;
        const authorization = "Bearer demo-token";
        const poll = await fetch(url, { headers: { authorization, prefer: "wait=20" } });
        expect([poll.status, poll.headers.get("preference-applied")]).toEqual([200, null]);
        expect((await openRemoteStream(url, { authorization })).status).toBe(406);
      } finally {
        await server.kill();
      }
    },
  );
});
