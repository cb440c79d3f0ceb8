import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, outputStream } from "async-request-reply/client";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { names, toChunk, toDefinitions } from "../faults/output/contract.mjs";
import { type Program, type ProgramOptions, startProgram } from "../faults/output/programs.js";
import { describeStages, type OutputStage } from "../faults/output/stages.js";
import { buildWithout } from "./builds.js";

/** The release before output, whose workers know nothing of it. */
let before: ReturnType<typeof buildWithout>;
beforeAll(() => {
  before = buildWithout("src/backends/sqlite/schema/2.sql");
});
afterAll(() => before.remove());

const CHUNKS = 40;
const EVERY = 8;
/** The first attempt stops before this chunk. */
const HELD_AT = 20;
/** Its last checkpoint, by the name of the definition. */
const CHECKPOINT: Readonly<Record<string, number>> = { resuming: 16, restarting: 0 };

/** Returns the chunks that an attempt writes. */
function chunksOf(attempt: number, from: number, end: number): readonly object[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, index) => toChunk(attempt, from + index));
}

/** A process, and what it has said. */
type Started = Program & { readonly messages: readonly object[]; readonly baseUrl: string };

/** Starts processes on a store that end with the test. */
function openScene({ url }: OutputStage) {
  const folder = mkdtempSync(join(tmpdir(), "output-upgrade-"));
  const programs: Program[] = [];
  onTestFinished(async () => {
    await Promise.all(programs.map(({ kill9 }) => kill9()));
    rmSync(folder, { recursive: true });
  });

  async function start(
    role: "api" | "worker",
    build: "this" | "before",
    retentionMs?: number,
  ): Promise<Started> {
    const messages: object[] = [];
    const common = { url, outputs: build === "this", ...(retentionMs !== undefined && { retentionMs }) };
    const options: ProgramOptions =
      role === "api"
        ? { role, ...common }
        : { role, ledger: join(folder, String(programs.length)), ...common };
    const onMessage = (message: object): void => void messages.push(message);
    const program = await startProgram(
      options,
      onMessage,
      build === "this" ? undefined : join(before.old.folder, "test/faults/output"),
    );
    programs.push(program);
    return { ...program, messages, baseUrl: `http://127.0.0.1:${program.started}` };
  }

  return { start };
}

/** Waits until a processor holds. */
async function untilHeld({ messages }: Started): Promise<void> {
  await vi.waitUntil(() => messages.some((message) => "holds" in message));
}

/** Submits an operation whose attempts hold. */
async function submit({ baseUrl }: Started, definition: string, holds: object): Promise<string> {
  const client = createClient({ baseUrl, definitions: toDefinitions() });
  const input = { chunks: CHUNKS, every: EVERY, pauseMs: 1, holds };
  const handle = await client[definition]?.submit(input);
  return handle?.operationId ?? "";
}

/** Reads an output to its end, as a page does. */
function follow({ baseUrl }: Started, definition: string, id: string) {
  const client = createClient({ baseUrl, definitions: toDefinitions(), outputStream });
  const held = { chunks: [] as unknown[], position: "" };
  const read = async (): Promise<void> => {
    for await (const { at, chunks, position } of client[definition]?.resume(id).output() ?? []) {
      expect(at).toBeLessThanOrEqual(held.chunks.length);
      held.chunks.splice(at, held.chunks.length, ...chunks);
      held.position = position;
    }
  };
  const ended = read();
  // A test that fails earlier does not await it.
  ended.catch(() => {});
  return { held, ended };
}

/** Requests an output, or the state of an operation. */
async function get({ baseUrl }: Started, path: string) {
  const { status, headers, ...reply } = await fetch(`${baseUrl}/operations/${path}`).then(
    async (response) => ({
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as unknown,
    }),
  );
  return {
    ...reply,
    status,
    next: headers.get("stream-next-offset"),
    closed: headers.get("stream-closed") === "true",
  };
}

/** Returns the number of chunks before a place. */
function countOf(position: string | null): number {
  return Number(position?.split("_")[1]);
}

describeStages("an operation with output that a worker of the release before takes over (F27)", (stage) => {
  /** The first attempt holds in the middle, and the second one at once. */
  const holds = { 1: HELD_AT, 2: 0 };

  /** Begins an operation in this release, whose worker is killed or frozen in the middle, and goes on in the one before. */
  async function takeOver(definition: string, end: (worker: Started) => Promise<void>, retentionMs?: number) {
    const scene = openScene(stage());
    const { start } = scene;
    const api = await start("api", "this", retentionMs);
    const first = await start("worker", "this");
    const id = await submit(api, definition, holds);
    await untilHeld(first);
    const page = follow(api, definition, id);
    await vi.waitUntil(() => page.held.chunks.length === HELD_AT);
    expect(page.held.chunks).toEqual(chunksOf(1, 0, HELD_AT));
    const { position } = page.held;
    await end(first);
    const second = await start("worker", "before");
    return { ...scene, api, first, second, id, page, position };
  }

  const killFirst = ({ kill9 }: Started): Promise<void> => kill9();

  /** Expects that only what the last checkpoint has stands, for a new process too. */
  async function expectDiscarded(
    { start, page, position, id }: Awaited<ReturnType<typeof takeOver>>,
    definition: string,
  ): Promise<readonly object[]> {
    const stands = chunksOf(1, 0, CHECKPOINT[definition] ?? 0);
    await vi.waitUntil(() => page.held.chunks.length === stands.length);
    expect(page.held.chunks).toEqual(stands);
    const other = await start("api", "this");
    expect(await get(other, `${id}/output`)).toMatchObject({ status: 200, body: stands, closed: false });
    const discarded = await get(other, `${id}/output?offset=${position}`);
    expect(discarded).toMatchObject({ status: 410, body: { name: "output-discarded" } });
    expect(countOf(discarded.next)).toBe(stands.length);
    return stands;
  }

  /** Expects that readers have these chunks, and know that no more will come. */
  async function expectClosed(
    { start, page, id }: Pick<Awaited<ReturnType<typeof takeOver>>, "start" | "page" | "id">,
    chunks: readonly object[],
    attempt: number,
  ): Promise<void> {
    await page.ended;
    expect(page.held.chunks).toEqual(chunks);
    const other = await start("api", "this");
    expect(await get(other, `${id}/output`)).toMatchObject({ status: 200, body: chunks, closed: true });
    expect(await get(other, id)).toMatchObject({
      body: { status: "completed", result: { attempt }, output: { closed: true } },
    });
  }

  it.each(names)(
    "has what stood at its last checkpoint when that one completes it: %s",
    async (definition) => {
      const scene = await takeOver(definition, killFirst);
      await untilHeld(scene.second);
      const stands = await expectDiscarded(scene, definition);
      scene.second.child.send({});
      await expectClosed(scene, stands, 2);
    },
  );

  it.each(names)("goes on from there when that one dies too: %s", async (definition) => {
    const scene = await takeOver(definition, killFirst);
    await untilHeld(scene.second);
    const stands = await expectDiscarded(scene, definition);
    await scene.second.kill9();
    await scene.start("worker", "this");
    await expectClosed(scene, [...stands, ...chunksOf(3, stands.length, CHUNKS)], 3);
  });

  it.each(names)("gets no chunk of an attempt that it lost: %s", async (definition) => {
    const thawed = join(tmpdir(), `thawed-${randomUUID()}`);
    onTestFinished(() => rmSync(thawed, { force: true }));
    const freeze = async ({ child }: Started): Promise<void> => void child.send({ frozenUntil: thawed });
    const scene = await takeOver(definition, freeze);
    await untilHeld(scene.second);
    const stands = await expectDiscarded(scene, definition);
    writeFileSync(thawed, "");
    await vi.waitUntil(() =>
      scene.first.messages.some((message) => "event" in message && message.event === "attempt.lost"),
    );
    scene.second.child.send({});
    await expectClosed(scene, stands, 2);
  });

  it("leaves nothing when that one deletes it", async () => {
    const { api, id, page, second, start } = await takeOver("resuming", killFirst, 1);
    const { query, table } = stage();
    const rowsOf = async (name: string): Promise<number> =>
      (await query(`select operation_id from ${table(name)} where operation_id = '${id}'`)).length;
    second.child.send({});
    await Promise.allSettled([page.ended]);
    await vi.waitUntil(async () => (await get(api, id)).status === 404);
    expect(await rowsOf("output_chunks")).toBeGreaterThan(0);
    await start("worker", "this");
    for (const name of ["output_chunks", "output_discards", "output_heads"])
      await vi.waitUntil(async () => (await rowsOf(name)) === 0);
  });
});

describeStages("an operation that a worker of the release before has begun (F27)", (stage) => {
  const versionOf = async (): Promise<number> => {
    const { query, table } = stage();
    const name = table("migrations").replace("arr_migrations", "arr_versions");
    const [row] = await query(`select max(version) as version from ${name}`);
    return Number(row?.version);
  };

  it("has the output of the attempt that takes over, also if the tables are upgraded in the middle", async () => {
    const { start } = openScene(stage());
    const old = await start("api", "before");
    const first = await start("worker", "before");
    const id = await submit(old, "resuming", { 1: 0 });
    await untilHeld(first);
    expect(await versionOf()).toBe(1);
    const api = await start("api", "this");
    expect(await get(api, `${id}/output`)).toMatchObject({ status: 200, body: [], closed: false });
    expect(await versionOf()).toBe(3);
    const page = follow(api, "resuming", id);
    await first.kill9();
    await start("worker", "this");
    await page.ended;
    expect(page.held.chunks).toEqual(chunksOf(2, 0, CHUNKS));
    expect(await get(api, `${id}/output`)).toMatchObject({ body: page.held.chunks, closed: true });
  });

  it("has an empty output that closes when that one completes it", async () => {
    const { start } = openScene(stage());
    const api = await start("api", "this");
    const first = await start("worker", "before");
    const id = await submit(api, "resuming", { 1: 0 });
    await untilHeld(first);
    const page = follow(api, "resuming", id);
    expect(await get(api, `${id}/output`)).toMatchObject({ status: 200, body: [], closed: false });
    first.child.send({});
    await page.ended;
    expect(page.held.chunks).toEqual([]);
    expect(await get(api, `${id}/output`)).toMatchObject({ body: [], closed: true });
    expect(await get(api, id)).toMatchObject({ body: { status: "completed", output: { closed: true } } });
  });
});
