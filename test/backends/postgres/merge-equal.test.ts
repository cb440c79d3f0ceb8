import type { Submission } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { describePostgres, type Server } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { newId, newSubmission as submission } from "./submissions.js";

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
  const { operations, submissions } = backend;
  await operations.get(newId(), "a");
  sent.statements = 0;
  const record = (all: readonly Submission[]) => Promise.all(all.map((each) => submissions.record(each)));
  const settle = (all: readonly Submission[]) =>
    Promise.allSettled(all.map((each) => submissions.record(each)));
  return { record, settle, sent };
}

await describePostgres("submissions of one key that wait together", (server) => {
  /** Submissions of one key. */
  const same = (count: number) => Array.from({ length: count }, () => submission({ key: "same" }));

  it("are sent as one, and a second call answers the others", async () => {
    const { record, sent } = await countingBackend(server);
    const given = same(20);
    const answers = await record([...given, submission()]);
    const winner = given[0]?.operation.id;
    expect(answers[0]).toEqual({ outcome: "created" });
    for (const answer of answers.slice(1, 20))
      expect(answer).toMatchObject({ outcome: "exists", operation: { id: winner } });
    expect(answers[20]).toEqual({ outcome: "created" });
    expect(sent.statements).toBe(2);
  });

  it("are all answered by one call if the key was bound before", async () => {
    const { record, sent } = await countingBackend(server);
    const first = submission({ key: "same" });
    await record([first]);
    for (const answer of await record(same(20)))
      expect(answer).toMatchObject({ outcome: "exists", operation: { id: first.operation.id } });
    expect(sent.statements).toBe(2);
  });

  it("learn the fingerprint of the key if their payload differs", async () => {
    const { record } = await countingBackend(server);
    const mixed = ["1:a", "1:b", "1:a", "1:b"].map((payload) => submission({ key: "same" }, payload));
    const answers = await record(mixed);
    expect(answers.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    const exists = answers.filter((answer) => answer.outcome === "exists");
    const winner = mixed[answers.findIndex(({ outcome }) => outcome === "created")];
    for (const { operation, fingerprint } of exists)
      expect([operation.id, fingerprint]).toEqual([winner?.operation.id, winner?.fingerprint]);
  });

  it.each([{ tenant: "b" }, { definition: "e" }])(
    "learn nothing about an operation of another key: %j",
    async (members) => {
      const { record } = await countingBackend(server);
      const [first, again] = [submission({ key: "same" }), submission({ key: "same" })];
      await record([first]);
      expect(await record([again, submission({ key: "same", ...members })])).toMatchObject([
        { outcome: "exists", operation: { id: first.operation.id } },
        { outcome: "created" },
      ]);
    },
  );

  it("are all created if they have no key", async () => {
    const { record } = await countingBackend(server);
    const answers = await record([submission(), submission()]);
    expect(answers).toEqual([{ outcome: "created" }, { outcome: "created" }]);
  });

  it("become one created operation if they share an id", async () => {
    const { record } = await countingBackend(server);
    const id = newId();
    const answers = await record([0, 1, 2].map(() => submission({ id, key: "same" })));
    expect(answers).toEqual(answers.map(() => ({ outcome: "created" })));
  });

  it("do not share the mistakes of the first one", async () => {
    const { settle } = await countingBackend(server);
    const answers = await settle([submission({ id: "not a UUID", key: "same" }), ...same(1)]);
    expect(answers).toMatchObject([{ reason: { code: "INTERNAL" } }, { value: { outcome: "created" } }]);
  });

  it("leave the first one accepted if the second call fails", async () => {
    const { settle } = await countingBackend(server, (statement) => {
      if (statement > 1) throw Object.assign(new Error("full"), { code: "53100" });
    });
    const answers = await settle(same(2));
    expect(answers).toMatchObject([{ value: { outcome: "created" } }, { reason: { code: "OVERLOADED" } }]);
  });
});
