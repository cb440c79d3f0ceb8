import { existsSync } from "node:fs";
import { join } from "node:path";
import { allowAnonymous, createMemoryBackend, createService, defineOperation } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { beginWriting } from "../../support/output-writer.js";

const isMissing = !existsSync(join(import.meta.dirname, "../node_modules/@durable-streams"));
const answers = defineOperation({ name: "answers", path: "/answers", input: z.string(), chunk: z.string() });

interface Reading {
  readonly live: false | "long-poll" | "sse";
  readonly offset?: string;
}

/** An operation that is running, and the client of the protocol. */
async function openStage() {
  const { stream } = await import("@durable-streams/client");
  const backend = createMemoryBackend();
  const service = createService({
    definitions: [answers],
    backend,
    authorize: allowAnonymous(),
    observe: false,
  });
  onTestFinished(() => service.close());
  const handle = toFetchHandler(service);
  const { operationId } = await service.submit(answers, "?", { tenant: "anonymous" });
  let cuts = 0;
  return {
    ...(await beginWriting(backend, operationId)),
    /** Breaks the next connection after its first bytes. */
    cutNext: () => {
      cuts += 1;
    },
    /** Reads as the client of the protocol does. */
    read: (reading: Reading) =>
      stream<string>({
        url: `http://localhost/operations/${operationId}/output`,
        warnOnHttp: false,
        sseResilience: { logWarnings: false },
        fetch: async (url, init) => {
          const response = await handle(new Request(url, init));
          return cuts-- > 0 ? cut(response) : response;
        },
        ...reading,
      }),
  };
}

/** Ends a body after its first chunk of bytes. */
function cut(response: Response): Response {
  const once = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk);
      controller.terminate();
    },
  });
  return new Response(response.body?.pipeThrough(once), response);
}

/** Collects what a subscriber gets, until the stream is closed or fails. */
async function collect(response: Awaited<ReturnType<Awaited<ReturnType<typeof openStage>>["read"]>>) {
  const batches: string[] = [];
  response.subscribeJson(({ items }) => {
    if (items.length > 0) batches.push(items.join(""));
  });
  return { batches, closed: response.closed };
}

describe.skipIf(isMissing && !process.env.CI)("an output in the client of Durable Streams", () => {
  it("is read to its end without waiting, and on from an offset", async () => {
    const { read, write, complete } = await openStage();
    await write("ab");
    const first = await read({ live: false });
    expect(await first.json()).toEqual(["a", "b"]);
    expect([first.upToDate, first.streamClosed]).toEqual([true, false]);
    await write("c");
    await complete();
    const second = await read({ live: false, offset: first.offset });
    expect([await second.json(), second.streamClosed]).toEqual([["c"], true]);
  });

  it.each(["long-poll", "sse"] as const)("is followed with %s until it is closed", async (live) => {
    const { read, write, complete } = await openStage();
    await write("ab");
    const { batches, closed } = await collect(await read({ live, offset: "-1" }));
    await expect.poll(() => batches.join("")).toBe("ab");
    await write("c");
    await expect.poll(() => batches.join("")).toBe("abc");
    await write("d");
    await complete();
    await closed;
    // The client passes its last batch on after it has told that the stream is closed, if they came together.
    await expect.poll(() => batches.join("")).toBe("abcd");
  });

  it("is followed on after a connection that broke, without a gap or a repeated chunk", async () => {
    const { read, write, complete, cutNext } = await openStage();
    await write("ab");
    cutNext();
    const { batches, closed } = await collect(await read({ live: "sse", offset: "-1" }));
    await expect.poll(() => batches.join("")).toBe("ab");
    await write("cd");
    await expect.poll(() => batches.join("")).toBe("abcd");
    await complete();
    await closed;
    await expect.poll(() => batches.join("")).toBe("abcd");
  });

  it.each(["long-poll", "sse"] as const)(
    "fails with %s if chunks that were read are discarded, and shows none that replace them",
    async (live) => {
      const { read, write, again, complete } = await openStage();
      await write("ab", '{"next":1}');
      await write("cd");
      const { batches, closed } = await collect(await read({ live, offset: "-1" }));
      await expect.poll(() => batches.join("")).toBe("abcd");
      const failing = expect(closed).rejects.toMatchObject({ status: 410 });
      await again(2);
      await write("CD");
      await complete();
      await failing;
      expect(batches.join("")).toBe("abcd");
    },
  );
});
