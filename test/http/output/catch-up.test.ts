import { randomUUID } from "node:crypto";
import { bearer } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { createOutputStage, place, plain, seen, tenant } from "../../support/output-stage.js";

const START = place(0, 0);

describe("a request for an output", () => {
  it("gets what stands after an offset, and where to read on", async () => {
    const { start, get } = createOutputStage();
    const writing = await start();
    expect(seen(await get(writing))).toEqual([200, "", START, "up-to-date"]);
    await writing.write("ab");
    await writing.write("cd");
    const all = [200, "abcd", place(1, 4), "up-to-date"];
    expect(seen(await get(writing))).toEqual(all);
    expect(seen(await get(writing, "?offset=-1&utm=1"))).toEqual(all);
    expect(seen(await get(writing, `?offset=${place(1, 3)}`))).toEqual([200, "d", place(1, 4), "up-to-date"]);
    expect(seen(await get(writing, `?offset=${place(1, 4)}`))).toEqual([200, "", place(1, 4), "up-to-date"]);
  });

  it("learns that nothing is added any more, also if the operation failed", async () => {
    const { start, get } = createOutputStage();
    const [completed, cancelled] = [await start(), await start()];
    await completed.write("ab");
    await cancelled.write("c");
    await completed.complete();
    await cancelled.fail();
    expect(seen(await get(completed))).toEqual([200, "ab", place(1, 2), "up-to-date", "closed"]);
    expect(seen(await get(cancelled, `?offset=${place(1, 1)}`))).toEqual([
      200,
      "",
      place(1, 1),
      "up-to-date",
      "closed",
    ]);
  });

  it("gets at most 256 KB and one append, and can read on at once", async () => {
    const { start, get } = createOutputStage();
    const writing = await start();
    for (let count = 0; count < 3; count += 1) await writing.write("x".repeat(50_000));
    await writing.complete();
    const first = await get(writing);
    expect(seen(first)).toEqual([200, "x".repeat(100_000), place(1, 100_000)]);
    expect(seen(await get(writing, `?offset=${place(1, 100_000)}`))).toEqual([
      200,
      "x".repeat(50_000),
      place(1, 150_000),
      "up-to-date",
      "closed",
    ]);
  });

  it("gets the end and no chunks with offset=now, and with HEAD", async () => {
    const { start, get } = createOutputStage();
    const writing = await start();
    await writing.write("ab");
    const now = await get(writing, "?offset=now");
    expect(seen(now)).toEqual([200, "", place(1, 2), "up-to-date"]);
    expect(now.headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json" });
    expect(now.headers.etag).toBeUndefined();
    await writing.complete();
    const head = await get(writing, "", { method: "HEAD" });
    expect(seen(head)).toEqual([200, "", place(1, 2), "up-to-date", "closed"]);
    expect(head.headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json" });
  });

  it("has a tag that changes with the chunks, with discards and with the end", async () => {
    const { start, get } = createOutputStage();
    const writing = await start();
    await writing.write("ab");
    const tags: (string | undefined)[] = [];
    const look = async (): Promise<void> => {
      const { headers } = await get(writing);
      tags.push(headers.etag);
      expect(headers["cache-control"]).toBe("private, no-cache");
      const known = await get(writing, "", { fields: { "if-none-match": headers.etag ?? "" } });
      expect([known.status, known.headers.etag, known.body]).toEqual([304, headers.etag, undefined]);
      expect(known.headers["stream-next-offset"]).toBe(headers["stream-next-offset"]);
    };
    await look();
    await writing.write("c");
    await look();
    await writing.again();
    await look();
    await writing.write("abc");
    await look();
    await writing.complete();
    await look();
    expect(new Set(tags).size).toBe(5);
  });

  it("gets the last place that stands if chunks before its offset were discarded", async () => {
    const { start, get } = createOutputStage();
    const first = await start();
    await first.write("ab", '{"next":1}');
    await first.write("cd");
    await first.again(2);
    const gone = await get(first, `?offset=${place(1, 3)}`);
    expect(gone.status).toBe(410);
    expect(gone.headers).toMatchObject({
      "stream-next-offset": place(1, 2),
      "cache-control": "no-store",
      "content-type": "application/problem+json",
    });
    expect(JSON.parse(gone.body as string)).toMatchObject({ name: "output-discarded", status: 410 });
    await first.write("C");
    expect((await get(first, `?offset=${place(1, 4)}`)).status).toBe(410);
    expect(seen(await get(first, `?offset=${place(1, 2)}`))).toEqual([200, "C", place(2, 3), "up-to-date"]);
  });

  it.each([
    "?offset=",
    "?offset=5",
    "?offset=0_0",
    `?offset=${place(1, 2 ** 31)}`,
    "?offset=-1&offset=-1",
    "?offset=-1&live=yes",
    "?live=long-poll",
    "?live=sse",
    "?offset=-1&live=sse&live=sse",
    "?offset=-1&live=long-poll&cursor=x",
    "?offset=-1&cursor=1&cursor=1",
  ])("is refused if its query is %s", async (query) => {
    const { start, get } = createOutputStage();
    const reply = await get(await start(), query);
    expect([reply.status, JSON.parse(reply.body as string)]).toMatchObject([
      400,
      { name: "malformed-request" },
    ]);
  });
});

describe("the path of an output", () => {
  it("names nothing if the operation is unknown, foreign, or of a definition without chunks", async () => {
    const stage = createOutputStage({ authorize: bearer({ a: "a", b: "b" }) });
    const { service, get } = stage;
    const of = async (definition: "answers" | "plain") =>
      service.submit(definition === "plain" ? plain : service.definitions[0], "?", { tenant: "a" });
    const [own, other] = [await of("answers"), await of("plain")];
    const ask = async (operationId: string, token: string) =>
      (await get({ operationId }, "", { fields: { authorization: `Bearer ${token}` } })).status;
    expect(await ask(own.operationId, "a")).toBe(200);
    expect(await ask(own.operationId, "b")).toBe(404);
    expect(await ask(own.operationId, "c")).toBe(401);
    expect(await ask(other.operationId, "a")).toBe(404);
    expect(await ask(randomUUID(), "a")).toBe(404);
    expect(await ask("x", "a")).toBe(404);
  });

  it("can be read only, and says so", async () => {
    const { start, get } = createOutputStage();
    const writing = await start();
    const allow = "GET, HEAD, OPTIONS";
    expect(await get(writing, "", { method: "OPTIONS" })).toMatchObject({ status: 204, headers: { allow } });
    expect(await get(writing, "", { method: "POST" })).toMatchObject({ status: 405, headers: { allow } });
  });

  it("is in the status of operations with output, with whether it is closed", async () => {
    const { service, start } = createOutputStage();
    const writing = await start();
    const path = `/operations/${writing.operationId}`;
    const status = async (of = path): Promise<{ readonly output?: unknown }> =>
      JSON.parse((await service.handle({ method: "GET", path: of, headers: {} })).body as string);
    expect((await status()).output).toEqual({ href: `${path}/output`, closed: false });
    await writing.complete();
    expect((await status()).output).toEqual({ href: `${path}/output`, closed: true });
    expect((await service.get(service.definitions[0], writing.operationId, { tenant }))?.output).toEqual({
      href: `${path}/output`,
      closed: true,
    });
    const { operationId } = await service.submit(plain, "?", { tenant });
    expect(await status(`/operations/${operationId}`)).not.toHaveProperty("output");
  });
});
