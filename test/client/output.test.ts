import { allowAnonymous, createMemoryBackend, createService, defineOperation } from "async-request-reply";
import { type ClientFetch, type ClientOptions, createClient, outputStream } from "async-request-reply/client";
import { toFetchHandler } from "async-request-reply/fetch";
import type { SettingsOptions } from "async-request-reply/ports";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { place } from "../support/output-stage.js";
import { beginWriting } from "../support/output-writer.js";
import { useFakeTime } from "./scripted.js";

const answers = defineOperation({ name: "answers", path: "/answers", input: z.string(), chunk: z.string() });
const definitions = [answers] as const;

/** An operation that is running, and a client of its service, which can be replaced. */
async function openStage(
  { reads = true, ...options }: Partial<ClientOptions> & { readonly reads?: boolean } = {},
  settings: Partial<SettingsOptions> = {},
) {
  const backend = createMemoryBackend();
  const create = () =>
    createService({ definitions, backend, authorize: allowAnonymous(), observe: false, ...settings });
  let service = create();
  let handler = toFetchHandler(service);
  onTestFinished(() => service.close());
  const requests: URL[] = [];
  let transport: ClientFetch = (url, init) => handler(new Request(url, init));
  const api = createClient({
    baseUrl: "http://localhost",
    definitions,
    ...(reads && { outputStream }),
    fetch: (url, init) => {
      requests.push(new URL(url));
      return transport(url, init);
    },
    ...options,
  });
  const op = await api.answers.submit("?");
  requests.length = 0;
  return {
    op,
    requests,
    ...(await beginWriting(backend, op.operationId)),
    /** Replaces the service, as a deployment does. */
    deploy: () => {
      const old = service;
      service = create();
      handler = toFetchHandler(service);
      // The memory of the old one lives on.
      void old.close();
    },
    /** Changes how requests are sent. */
    through: (change: (fetch: ClientFetch) => ClientFetch) => {
      transport = change(transport);
    },
  };
}

/** Cuts the body of a reply after some bytes. */
function cut(response: Response, bytes: number): Response {
  let left = bytes;
  const cutting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.error(new TypeError("terminated"));
    },
  });
  return new Response(response.body?.pipeThrough(cutting), response);
}

/** Keeps what a page would show. Returns it, and the `at` of each part. */
async function show(parts: AsyncIterable<{ readonly at: number; readonly chunks: readonly string[] }>) {
  const shown: string[] = [];
  const ats: number[] = [];
  for await (const { at, chunks } of parts) {
    ats.push(at);
    shown.length = at;
    shown.push(...chunks);
  }
  return { text: shown.join(""), ats };
}

describe("op.output()", () => {
  it("iterates over the parts of an output as they come, and ends with the operation", async () => {
    const { op, write, complete, requests } = await openStage();
    await write("ab");
    const parts = op.output();
    expect((await parts.next()).value).toEqual({ at: 0, chunks: ["a", "b"], position: place(1, 2) });
    const next = parts.next();
    await write("c");
    expect((await next).value).toEqual({ at: 2, chunks: ["c"], position: place(1, 3) });
    await complete();
    expect((await parts.next()).done).toBe(true);
    expect(requests.map(({ pathname, search }) => pathname + search)).toEqual([
      `/operations/${op.operationId}/output?live=sse&offset=-1`,
    ]);
  });

  it("ends without an error if the operation failed", async () => {
    const { op, write, fail } = await openStage();
    await write("ab");
    await fail();
    expect(await show(op.output())).toEqual({ text: "ab", ats: [0] });
  });

  it("goes on after a position, also at the end of a closed output", async () => {
    const { op, write, complete } = await openStage();
    await write("abc");
    await complete();
    expect(await show(op.output({ from: place(1, 2) }))).toEqual({ text: "c", ats: [2] });
    expect(await show(op.output({ from: place(1, 3) }))).toEqual({ text: "", ats: [] });
  });

  it("goes on where it was when the connection breaks, wherever it does", async () => {
    useFakeTime();
    const { op, write, complete, through, requests } = await openStage();
    await write("ab");
    await write("cde");
    await complete();
    let bytes = 60;
    through((fetch) => async (url, init) => {
      bytes += 37;
      return cut(await fetch(url, init), bytes);
    });
    expect((await show(op.output())).text).toBe("abcde");
    expect(requests.length).toBeGreaterThan(1);
  });

  it("goes on with the next service after a deployment", async () => {
    useFakeTime();
    const { op, write, complete, deploy, through } = await openStage();
    await write("ab");
    const parts = op.output();
    await parts.next();
    deploy();
    let failures = 3;
    through(
      (fetch) => (url, init) =>
        failures-- > 0 ? Promise.reject(new TypeError("fetch failed")) : fetch(url, init),
    );
    const next = parts.next();
    await write("c");
    expect((await next).value).toEqual({ at: 2, chunks: ["c"], position: place(1, 3) });
    await complete();
    expect((await parts.next()).done).toBe(true);
  });

  it("tells what stands after a discard, so that a page shows no chunk that was discarded", async () => {
    useFakeTime();
    const { op, write, again, complete } = await openStage();
    await write("ab", '{"next":1}');
    await write("cd");
    const parts = op.output();
    await parts.next();
    await again(2);
    expect((await parts.next()).value).toEqual({ at: 2, chunks: [], position: place(1, 2) });
    await write("CDE");
    await complete();
    expect(await show(parts)).toMatchObject({ ats: [2] });
    expect((await show(op.output())).text).toBe("abCDE");
    expect(await show(op.output({ from: place(1, 4) }))).toMatchObject({ ats: [2, 2] });
  });

  it("starts again if the browser hides where to go on", async () => {
    useFakeTime();
    const { op, write, again, complete, through } = await openStage();
    await write("ab", '{"next":1}');
    await write("c");
    await again(2);
    await complete();
    through((fetch) => async (url, init) => {
      const response = await fetch(url, init);
      const headers = new Headers(response.headers);
      headers.delete("stream-next-offset");
      return new Response(response.body, { status: response.status, headers });
    });
    expect(await show(op.output({ from: place(1, 3) }))).toEqual({ text: "ab", ats: [0, 0] });
  });

  it("asks for as long as it takes if the service does not stream", async () => {
    useFakeTime();
    const { op, write, complete, requests } = await openStage({ giveUpAfterMs: 10_000 }, { maxStreamMs: 0 });
    const parts = op.output();
    const next = parts.next();
    while (requests.length < 20) await new Promise((resolve) => setTimeout(resolve, 1_000));
    await write("a");
    expect((await next).value).toMatchObject({ chunks: ["a"] });
    await complete();
    expect((await parts.next()).done).toBe(true);
  });

  it("ends with its signal", async () => {
    const { op } = await openStage();
    const leaving = new AbortController();
    const next = op.output({ signal: leaving.signal }).next();
    const reason = new Error("The page was left.");
    leaving.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it("refuses a definition without output, and a client without the option", async () => {
    const { op } = await openStage({ reads: false });
    await expect(op.output().next()).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringContaining("`outputStream`"),
    });
    const { op: unknown, through } = await openStage();
    through(() => async () => Response.json({ name: "not-found" }, { status: 404 }));
    await expect(unknown.output().next()).rejects.toMatchObject({ code: "REQUEST_REFUSED" });
  });

  it("says so if the reply is no output", async () => {
    const { op, through } = await openStage();
    through(() => async () => new Response("<html>", { headers: { "content-type": "text/html" } }));
    await expect(op.output().next()).rejects.toMatchObject({ code: "INVALID_OPTION" });
    through(() => async () => {
      const headers = { "content-type": "text/event-stream" };
      return new Response("event: data\ndata: x\n\n", { headers });
    });
    await expect(op.output().next()).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
