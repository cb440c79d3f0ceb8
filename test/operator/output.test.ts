import { createMemoryBackend, createService, defineOperation, isAsyncReplyError } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { claimOne } from "../support/claims.js";
import { existing } from "../support/operator/stage.js";

const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";
const input = z.unknown();
const checkpoint = z.int();
const answers = defineOperation({ name: "answers", path: "/answers", input, chunk: z.string(), checkpoint });
const importsOf = defineOperation({ name: "imports", path: "/imports", input, checkpoint });
const reports = defineOperation({ name: "reports", path: "/reports", input });
const definitions = [answers, importsOf, reports] as const;

/** An operation whose attempts write what the test says. */
async function createStage(definition: (typeof definitions)[number] = answers) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const { operationId: id } = await service.submit(definition, {}, { tenant: "a" });
  const operator = createOperator({ backend, definitions, runtime: { clock }, observe: false });
  let attempts = 0;
  let count = 0;
  const leaseOf = () => ({ operationId: id, token: `attempt ${attempts}` });
  return {
    id,
    clock,
    backend,
    operator,
    /** Begins the next attempt. `standing` chunks are left. */
    begin: async (standing = 0) => {
      if (attempts > 0)
        await backend.operations.settle(leaseOf(), { to: "retry", delayMs: 0, countAttempt: true });
      attempts += 1;
      count = standing;
      await claimOne(backend.operations, id, { token: leaseOf().token, leaseMs: 60_000 });
    },
    write: async (chunks: readonly string[], mark?: number) => {
      const texts = chunks.map((chunk) => JSON.stringify(chunk));
      const append = { lease: leaseOf(), from: count, chunks: texts, bytes: 1 };
      const set = mark === undefined ? {} : { checkpoint: { value: String(mark), number: mark + 1 } };
      expect(await backend.output.append([{ ...append, ...set }])).toEqual(["stored"]);
      count += chunks.length;
    },
    end: () => backend.operations.settle(leaseOf(), { to: "completed" }),
    read: (from?: string) => existing(operator.output(id, { from })),
  };
}

describe("the output that an operator reads", () => {
  it("is followed from part to part, until it is closed", async () => {
    const { begin, write, end, read } = await createStage();
    expect(await read()).toMatchObject({ at: 0, chunks: [], closed: false });
    await begin();
    await write(["a"]);
    const first = await read();
    expect(first).toMatchObject({ at: 0, chunks: ["a"], closed: false });
    expect(await read(first.position)).toEqual({ ...first, at: 1, chunks: [] });
    await write(["b"]);
    await end();
    const second = await read(first.position);
    expect(second).toMatchObject({ at: 1, chunks: ["b"], closed: true });
    expect(await read()).toEqual({ ...second, at: 0, chunks: ["a", "b"] });
    expect(await read(second.position)).toEqual({ ...second, at: 2, chunks: [] });
  });

  it("says where chunks were discarded, and goes on from there", async () => {
    const { begin, write, read } = await createStage();
    await begin();
    await write(["a"], 1);
    await write(["b", "c"]);
    const { position } = await read();
    await begin(1);
    await write(["d"]);
    const discarded = await read(position);
    expect(discarded).toMatchObject({ at: 1, chunks: [], closed: false });
    expect(await read(discarded.position)).toMatchObject({ at: 1, chunks: ["d"] });
    expect(await read()).toMatchObject({ at: 0, chunks: ["a", "d"] });
  });

  it.each([
    // A chunk is two characters longer as JSON.
    { chunks: 200, length: 1_022, kept: 64 },
    { chunks: 40_000, length: 1, kept: 21_845 },
    { chunks: 300, length: 8, kept: 300 },
    { chunks: 3, length: 70_000, kept: 1 },
  ])(
    "is at most the last 64 KB, and at least one chunk: of $chunks chunks of $length characters",
    async ({ chunks, length, kept }) => {
      const { begin, write, end, read } = await createStage();
      const texts = Array.from({ length: chunks }, (_, index) => String(index % 10).repeat(length));
      await begin();
      for (let at = 0; at < chunks; at += 100) await write(texts.slice(at, at + 100));
      await end();
      const { position, ...part } = await read();
      expect(part).toEqual({ at: chunks - kept, chunks: texts.slice(-kept), closed: true });
      expect(await read(position)).toEqual({ at: chunks, chunks: [], position, closed: true });
    },
  );

  it("leaves out what does not fit if much was added since the last part", async () => {
    const { begin, write, read } = await createStage();
    await begin();
    await write(["a"]);
    const { position } = await read();
    for (let count = 0; count < 100; count += 1) await write(["x".repeat(1_022)]);
    expect(await read(position)).toMatchObject({ at: 37, chunks: { length: 64 }, closed: false });
  });

  it("has parts of several attempts", async () => {
    const { begin, write, read } = await createStage();
    for (let attempt = 0; attempt < 400; attempt += 1) {
      await begin(attempt);
      await write([String(attempt % 10)], attempt);
    }
    const { at, chunks } = await read();
    expect([at, chunks.join("")]).toEqual([0, "0123456789".repeat(40)]);
  });

  it("does not exist for an unknown operation", async () => {
    const { operator } = await createStage();
    expect(await operator.output(UNKNOWN)).toBeUndefined();
    expect(await operator.output("42")).toBeUndefined();
  });

  it("times out after 30 seconds", async () => {
    const stage = await createStage();
    const { backend, clock, id } = stage;
    const output = { ...backend.output, read: () => new Promise<never>(() => {}) };
    const operator = createOperator({ backend: { ...backend, output }, definitions, runtime: { clock } });
    const answer = expect(operator.output(id)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    // The operation is read first.
    await clock.advance(0);
    await clock.advance(30_000);
    await answer;
  });
});

describe("the details of an operation", () => {
  it("say whether it has output, and when it saved its last checkpoint", async () => {
    const { id, operator, clock, begin, write } = await createStage();
    expect(await operator.get(id)).not.toHaveProperty("lastCheckpointAt");
    await begin();
    await write(["a"], 1);
    const at = new Date(clock.now());
    await clock.advance(5_000);
    await write(["b"]);
    expect(await operator.get(id)).toMatchObject({ hasOutput: true, lastCheckpointAt: at });
    expect(JSON.stringify(await operator.list())).not.toContain("Checkpoint");
  });

  it("have no output without `chunk`", async () => {
    const { id, operator, clock, begin, write } = await createStage(importsOf);
    await begin();
    await write([], 1);
    const details = await existing(operator.get(id));
    expect(details).not.toHaveProperty("hasOutput");
    expect(details.lastCheckpointAt).toEqual(new Date(clock.now()));
  });

  it("name the checkpoint that a redrive keeps", async () => {
    const { id, operator, clock, backend, begin, write } = await createStage(importsOf);
    await begin();
    await write([], 1);
    const at = new Date(clock.now());
    await clock.advance(5_000);
    await backend.operations.settle(
      { operationId: id, token: "attempt 1" },
      { to: "failed", error: '{"type":"about:blank"}' },
    );
    const { operation } = await operator.redrive(id, { keepCheckpoint: true });
    expect(operation).toMatchObject({ retryOf: id, lastCheckpointAt: at });
  });
});

describe("a mistake", () => {
  it.each([
    [reports, undefined, 'The definition "reports" has no output. Add the option `chunk` to it.'],
    [answers, "1", 'Option `from` must be the `position` of an earlier part, unchanged, not "1".'],
  ])("is refused", async (definition, from, detail) => {
    const { id, operator } = await createStage(definition);
    const error: unknown = await operator.output(id, { from }).catch((reason: unknown) => reason);
    expect(isAsyncReplyError(error) && [error.code, error.detail]).toEqual(["INVALID_OPTION", detail]);
  });
});
