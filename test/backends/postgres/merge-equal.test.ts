import type { NewOperation, Submission } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { describePostgres, type Server } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";

const { newId } = createSystemRuntime();

function submission(members: Partial<NewOperation> = {}, fingerprint = "1:a"): Submission {
  return {
    operation: { id: newId(), tenant: "a", definition: "d", input: "1", retentionMs: 60_000, ...members },
    fingerprint,
  };
}

/**
 * Creates a back end that makes one call at a time and counts the statements that it sends after its first use. `fail` may
 * break a statement.
 */
async function countingBackend(server: Server, fail: (statement: number) => void = () => {}) {
  const sent = { statements: Number.NaN };
  const pool = interceptStatements(server.pool, async (_, run) => {
    sent.statements += 1;
    fail(sent.statements);
    return run();
  });
  const schema = server.newSchema();
  await createPostgresBackend({ pool: server.pool, schema }).migrate();
  const backend = createPostgresBackend({ pool, schema, maxInFlight: 1, migrate: "manual" });
  await backend.operations.get(newId(), "a");
  sent.statements = 0;
  return { ...backend, sent };
}

await describePostgres("submissions of one key that wait together", (server) => {
  it("are sent as one, and a second call answers the others", async () => {
    const { submissions, sent } = await countingBackend(server);
    const same = Array.from({ length: 20 }, () => submission({ key: "same" }));
    const answers = await Promise.all([...same, submission()].map((each) => submissions.record(each)));
    const winner = same[0]?.operation.id;
    expect(answers[0]).toEqual({ outcome: "created" });
    for (const answer of answers.slice(1, 20))
      expect(answer).toMatchObject({ outcome: "exists", operation: { id: winner } });
    expect(answers[20]).toEqual({ outcome: "created" });
    expect(sent.statements).toBe(2);
  });

  it("are all answered by one call if the key was bound before", async () => {
    const { submissions, sent } = await countingBackend(server);
    const first = submission({ key: "same" });
    await submissions.record(first);
    const same = Array.from({ length: 20 }, () => submission({ key: "same" }));
    for (const answer of await Promise.all(same.map((each) => submissions.record(each))))
      expect(answer).toMatchObject({ outcome: "exists", operation: { id: first.operation.id } });
    expect(sent.statements).toBe(2);
  });

  it("learn the fingerprint of the key if their payload differs", async () => {
    const { submissions } = await countingBackend(server);
    const mixed = ["1:a", "1:b", "1:a", "1:b"].map((payload) => submission({ key: "same" }, payload));
    const answers = await Promise.all(mixed.map((each) => submissions.record(each)));
    expect(answers.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    const exists = answers.filter((answer) => answer.outcome === "exists");
    const winner = mixed[answers.findIndex(({ outcome }) => outcome === "created")];
    for (const { operation, fingerprint } of exists)
      expect([operation.id, fingerprint]).toEqual([winner?.operation.id, winner?.fingerprint]);
  });

  it.each([{ tenant: "b" }, { definition: "e" }])(
    "learn nothing about an operation of another key: %j",
    async (members) => {
      const { submissions } = await countingBackend(server);
      const first = submission({ key: "same" });
      await submissions.record(first);
      const [again, other] = [submission({ key: "same" }), submission({ key: "same", ...members })];
      const answers = await Promise.all([again, other].map((each) => submissions.record(each)));
      expect(answers).toMatchObject([
        { outcome: "exists", operation: { id: first.operation.id } },
        { outcome: "created" },
      ]);
    },
  );

  it("are all created if they have no key", async () => {
    const { submissions } = await countingBackend(server);
    const answers = await Promise.all([submission(), submission()].map((each) => submissions.record(each)));
    expect(answers).toEqual([{ outcome: "created" }, { outcome: "created" }]);
  });

  it("become one created operation if they share an id", async () => {
    const { submissions } = await countingBackend(server);
    const id = newId();
    const same = [0, 1, 2].map(() => submission({ id, key: "same" }));
    const answers = await Promise.all(same.map((each) => submissions.record(each)));
    expect(answers).toEqual(answers.map(() => ({ outcome: "created" })));
  });

  it("do not share the mistakes of the first one", async () => {
    const { submissions } = await countingBackend(server);
    const broken = submission({ id: "not a UUID", key: "same" });
    const sound = submission({ key: "same" });
    const answers = await Promise.allSettled([broken, sound].map((each) => submissions.record(each)));
    expect(answers).toMatchObject([{ reason: { code: "INTERNAL" } }, { value: { outcome: "created" } }]);
  });

  it("leave the first one accepted if the second call fails", async () => {
    const { submissions } = await countingBackend(server, (statement) => {
      if (statement > 1) throw Object.assign(new Error("full"), { code: "53100" });
    });
    const same = [submission({ key: "same" }), submission({ key: "same" })];
    const answers = await Promise.allSettled(same.map((each) => submissions.record(each)));
    expect(answers).toMatchObject([{ value: { outcome: "created" } }, { reason: { code: "OVERLOADED" } }]);
  });
});
