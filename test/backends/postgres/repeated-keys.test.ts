import type { NewOperation, Submission } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { newId, newSubmission } from "./submissions.js";

function submission(key: string, members: Partial<NewOperation> = {}) {
  return newSubmission(key === "" ? members : { ...members, key }, `1:${key}`);
}

await describePostgres("a batch of submissions", (server) => {
  async function open() {
    const functions: string[] = [];
    const pool = interceptStatements(server.pool, async ({ text }, run) => {
      functions.push(/\.(record\w*)_v1\(/.exec(text)?.[1] ?? text);
      return run();
    });
    const schema = server.newSchema();
    await server.open({ schema }).migrate();
    const { submissions, operations } = createPostgresBackend({ pool, schema, migrate: "manual" });
    const record = (...batch: readonly Submission[]) =>
      Promise.all(batch.map((each) => submissions.record(each)));
    return { functions, record, operations };
  }

  it("with a known key records the others, and answers with the operation of the key", async () => {
    const { record, operations } = await open();
    const known = submission("known");
    await record(known);
    const others = ["a", "b", "c"].map((key) => submission(key));
    const answers = await record(...others, submission("known"));
    const created = others.map(() => ({ outcome: "created" }));
    expect(answers).toEqual([...created, expect.objectContaining({ outcome: "exists" })]);
    expect(answers[3]).toMatchObject({ operation: { id: known.operation.id }, fingerprint: "1:known" });
    for (const { operation } of others) expect(await operations.get(operation.id, "a")).toBeDefined();
  });

  it("is inserted without regard to known keys unless the last one had any", async () => {
    const { functions, record } = await open();
    const fresh = () => [submission(newId()), submission(newId())];
    await record(...fresh());
    const [first, second] = fresh();
    await record(first as Submission, second as Submission);
    await record(first as Submission, submission(newId()));
    functions.length = 0;
    await record(...fresh());
    await record(...fresh());
    expect(functions).toEqual(["record", "record_new"]);
  });

  it("keeps the values of each submission apart", async () => {
    const { record, operations } = await open();
    const onEnd = { id: newId(), definition: "after", input: "2", retentionMs: 1 };
    const batch = [
      submission("a", { tenant: "a", retentionMs: 1_000, failedRetentionMs: 2_000, meta: '{"m":1}' }),
      submission("b", { tenant: "b", definition: "e", principal: "p" }),
      submission("c", { tenant: "a", retentionMs: 3_000, onEnd, retryOf: newId() }),
      submission("", { tenant: "c", delayMs: 60_000 }),
    ];
    expect(await record(...batch)).toEqual(batch.map(() => ({ outcome: "created" })));
    for (const { operation } of batch) {
      const { delayMs: _, ...stored } = operation;
      expect(await operations.get(operation.id, operation.tenant)).toMatchObject(stored);
    }
  });
});
