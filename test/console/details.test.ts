import { createMemoryBackend } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { redriven } from "../support/operator/stage.js";
import { createConsoleStage } from "./stage.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const ID = "01900000-0000-7000-8000-000000000001";

/** Reads an operation with this metadata from a console with links to traces. */
async function readWith(
  meta: string | undefined,
  traceUrl?: string,
): Promise<{ readonly traceUrl?: string }> {
  const backend = createMemoryBackend();
  const { read } = createConsoleStage("observe", {
    backend,
    ...(traceUrl === undefined ? {} : { traceUrl }),
  });
  await backend.operations.create({
    ...{ id: ID, tenant: "a", definition: "exports", input: "{}", retentionMs: 60_000 },
    ...(meta === undefined ? {} : { meta }),
  });
  return read(`/api/operations/${ID}`);
}

describe("the details of an operation", () => {
  it("link the trace that it was submitted in", async () => {
    const meta = JSON.stringify({ traceparent: `00-${TRACE}-b7ad6b7169203331-01` });
    const template = "https://traces.example/{traceId}?uiFind={traceId}";
    const url = `https://traces.example/${TRACE}?uiFind=${TRACE}`;
    expect((await readWith(meta, template)).traceUrl).toBe(url);
    expect((await readWith(meta)).traceUrl).toBeUndefined();
  });

  it.each([
    undefined,
    "{}",
    "[]",
    "null",
    '"00"',
    JSON.stringify({ traceparent: "00-<script>" }),
    JSON.stringify({ traceparent: `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01` }),
    JSON.stringify({ traceparent: [TRACE] }),
  ])("link no trace for %s", async (meta) => {
    expect((await readWith(meta, "https://traces.example/{traceId}")).traceUrl).toBeUndefined();
  });

  it("say why the operation does not run, and nothing once it has ended", async () => {
    const { read, submit, operator, work } = createConsoleStage("observe");
    const id = await submit("complete");
    await operator.pause("exports", { by: "ann" });
    const paused = { reason: "paused", since: expect.any(String), by: "ann" };
    expect(await read(`/api/operations/${id}`)).toMatchObject({ why: [paused] });
    await operator.resume("exports");
    await work();
    expect(await read(`/api/operations/${id}`)).not.toHaveProperty("why");
  });

  it("have the chain of redrives, oldest first", async () => {
    const { read, end, operator, work } = createConsoleStage("observe");
    const first = await end("throw");
    expect(await read(`/api/operations/${first}`)).toMatchObject({ chain: [] });
    const second = await redriven(operator, first);
    await work();
    const third = await redriven(operator, second);
    for (const id of [first, second, third]) {
      const { chain } = await read<{ chain: { operationId: string; status: string }[] }>(
        `/api/operations/${id}`,
      );
      expect(chain.map(({ operationId, status }) => [operationId, status])).toEqual([
        [first, "failed"],
        [second, "failed"],
        [third, "pending"],
      ]);
    }
  });
});
