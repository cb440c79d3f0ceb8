import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
} from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { deepText } from "../support/deep-text.js";
import { failing } from "../worker/stage.js";
import { watchChannel } from "./watch-channel.js";

const tenant = "acme";
const exportsOf = defineOperation({ name: "exports", path: "/exports", input: z.strictObject({}) });

/** Submits an operation, runs it until no work is due, and returns its id. */
async function runOnce(run: () => unknown, maxAttempts = 1): Promise<string> {
  const backend = createMemoryBackend();
  const service = createService({ definitions: [exportsOf], backend, observe: false });
  const { operationId } = await service.submit(exportsOf, {}, { tenant });
  await createWorker(service, { exports: run }, { maxAttempts }).runUntilIdle();
  await service.close();
  return operationId;
}

const ALL = ["start", "end", "asyncStart", "asyncEnd"];

describe("the channels `process` and `settle`", () => {
  it("publish an attempt that completes, first its run and then its end", async () => {
    const [processed, settled] = [watchChannel("process"), watchChannel("settle")];
    const during: unknown[] = [];
    const operationId = await runOnce(() => void during.push(processed.at(-1)?.event, settled.length));
    expect(during).toEqual(["end", 0]);
    const about = { operationId, definition: "exports", tenant, attempt: 1, createdAt: expect.any(Number) };
    for (const published of [processed, settled]) {
      expect(published.map(({ event }) => event)).toEqual(ALL);
      expect(published.at(-1)).toMatchObject({ ...about, outcome: "completed" });
    }
  });

  it("publish the error of an attempt that fails for good", async () => {
    const [processed, settled] = [watchChannel("process"), watchChannel("settle")];
    const error = permanentFailure("It cannot be done.");
    await runOnce(failing(error));
    expect(processed.find(({ event }) => event === "error")).toMatchObject({ error, outcome: "failed" });
    expect(processed.map(({ event }) => event)).toEqual(["start", "end", "error", "asyncStart", "asyncEnd"]);
    expect(settled.at(-1)?.outcome).toBe("failed");
  });

  it("publish no part of the input or of the result", async () => {
    const published = [watchChannel("submit"), watchChannel("process"), watchChannel("settle")];
    const [input, result] = [z.object({ text: z.string() }), z.strictObject({ ok: z.string() })];
    const orders = defineOperation({ name: "orders", path: "/orders", input, result });
    const backend = createMemoryBackend();
    const authorize = () => ({ id: "ann", tenant });
    const service = createService({ definitions: [orders], backend, authorize, observe: false });
    const run = ({ text }: { readonly text: string }) =>
      text === "kanarie" ? { ok: text } : ({ kanarie: "kanarie" } as never);
    const post = { method: "POST", path: "/orders" };
    for (const text of ["kanarie", "other"]) {
      const headers = { "content-type": "application/json", "idempotency-key": `"${text.length}"` };
      const body = JSON.stringify({ text });
      for (let repeat = 0; repeat < 2; repeat += 1) await service.handle({ ...post, headers, body });
      await createWorker(service, { orders: run }).runUntilIdle();
    }
    expect(published.flat().map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining(["accepted", "replayed", "completed", "failed"]),
    );
    expect(deepText(published)).not.toContain("kanarie");
    await service.close();
  });

  it("publish an attempt that is retried", async () => {
    const [processed, settled] = [watchChannel("process"), watchChannel("settle")];
    await runOnce(failing(new RangeError("busy")), 2);
    expect(processed.slice(0, 5).at(-1)).toMatchObject({ attempt: 1, outcome: "retry" });
    expect(settled[3]).toMatchObject({ attempt: 1, outcome: "retried" });
  });

  it("run the processor in the context that a subscriber sets", async () => {
    const context = new AsyncLocalStorage<string>();
    watchChannel("process", (message) => {
      message.around = (work) => context.run("span", work);
    });
    const seen: unknown[] = [];
    await runOnce(async () => {
      seen.push(context.getStore());
      await new Promise(setImmediate);
      seen.push(context.getStore());
    });
    expect(seen).toEqual(["span", "span"]);
  });

  it("run the processor with the stores that are bound to the channel", async () => {
    const store = new AsyncLocalStorage<unknown>();
    const { start } = tracingChannel("async-request-reply:process");
    start.bindStore(store, (message) => (message as { attempt: unknown }).attempt);
    onTestFinished(() => void start.unbindStore(store));
    const seen: unknown[] = [];
    await runOnce(() => void seen.push(store.getStore()));
    expect(seen).toEqual([1]);
  });
});
