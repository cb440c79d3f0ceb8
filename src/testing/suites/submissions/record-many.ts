import { nextTurn } from "../../../platform/waits.js";
import type { RecordManyResult, Submission } from "../../../ports/submission.js";
import { deepEqual, equal, isOutcome, ok } from "../../expect.js";
import { newFollowUp } from "../operation-store/attempt/on-end.js";
import { begin, begins, COMPLETED, newId, newOperation, read } from "../operation-store/fixtures.js";
import { concurrently } from "../port-case.js";
import { newSubmission, type Recording, recorded, type SubmissionsCheck } from "./fixtures.js";

const MOST = 1_000;
/** Key that a store that sorts them puts neither first nor last. */
const inAnyOrder = (index: number): string => `key-${(index * 7_919) % 10_007}`;

const newList = (count: number): readonly Submission[] =>
  Array.from({ length: count }, (_, index) => newSubmission({ key: inAnyOrder(index) }, `1:${index}`));

const outcomesOf = (results: readonly RecordManyResult[]): readonly string[] =>
  results.map(({ outcome }) => outcome);

async function exists({ operations }: Recording, { operation }: Submission): Promise<boolean> {
  return (await operations.get(operation.id, operation.tenant)) !== undefined;
}

export const recordManyChecks: readonly SubmissionsCheck[] = [
  {
    rule: "many.order",
    name: "records several submissions and returns the result of each, in their order",
    check: async (backend) => {
      const bound = await recorded(backend, { key: "key-m" });
      const list = [
        newSubmission({ key: "key-z" }),
        newSubmission({ key: "key-m" }, "1:other"),
        { operation: newOperation(), fingerprint: "1:abc" },
        newSubmission({ key: "key-a" }),
      ];
      const results = await backend.submissions.recordMany(list);
      const expected = ["created", "exists", "created", "created"];
      deepEqual(outcomesOf(results), expected, "the outcomes");
      const told = results.map((each) =>
        each.outcome === "exists" ? [each.operation.id, each.fingerprint] : undefined,
      );
      deepEqual(told[1], [bound.operation.id, bound.fingerprint], "the operation of a bound key");
      const found = await Promise.all(list.map((each) => exists(backend, each)));
      deepEqual(found, [true, false, true, true], "which operations are new");
      for (const index of [0, 2, 3]) {
        const { id } = (list[index] as Submission).operation;
        equal(await begins(backend.operations, id), true, "beginning a new operation");
      }
    },
  },
  {
    rule: "many.both",
    name: "binds the key of each submission, so that `record` finds its operation",
    check: async (backend) => {
      const list = newList(20);
      await backend.submissions.recordMany(list);
      for (const { operation, fingerprint } of list) {
        const again = await backend.submissions.record(
          newSubmission({ key: operation.key as string }, "1:other"),
        );
        const { operation: found, fingerprint: first } = isOutcome(
          again,
          "exists",
          "recording its key again",
        );
        deepEqual([found.id, first], [operation.id, fingerprint], "the operation and the fingerprint");
      }
    },
  },
  {
    rule: "many.members",
    name: "stores everything in each of several submissions that have different members",
    check: async (backend, { unitMs }) => {
      const list = [
        newOperation({ key: "key-1" }),
        newOperation({ key: "key-2", principal: "ann", meta: '{"trace":1}', failedRetentionMs: 5 }),
        newOperation({ delayMs: 2 * unitMs, retryOf: newId(), onEnd: newFollowUp() }),
        newOperation({ urgency: 0, input: '"another"', retentionMs: 7, tenant: "tenant-2" }),
        newOperation({ definition: "reports", key: "key-1" }),
      ];
      await backend.submissions.recordMany(list.map((operation) => ({ operation, fingerprint: "1:abc" })));
      for (const operation of list) {
        const { delayMs: _delay, ...rest } = operation;
        const { createdAt: _at, ...shown } = await read(backend.operations, operation);
        deepEqual(shown, { ...rest, state: "pending", attempt: 0 }, "the operation");
        const { id, definition: name, delayMs } = operation;
        equal(await begins(backend.operations, id, { name }), delayMs === undefined, "beginning it");
      }
    },
  },
  {
    rule: "many.commit",
    name: "records 1,000 submissions in one commit, so that no reader sees only some of them",
    check: async (backend) => {
      const list = newList(MOST);
      let isOver = false;
      const recording = backend.submissions.recordMany(list).finally(() => {
        isOver = true;
      });
      const some = [0, 1, MOST >> 1, MOST - 1].map((index) => list[index] as Submission);
      const look = async (): Promise<void> => {
        for (const one of some)
          for (const other of some) {
            // The second look is later, so it sees what the first one saw.
            const seen = await exists(backend, one);
            ok(
              !seen || (await exists(backend, other)),
              "one commit for all submissions, but part is visible",
            );
          }
      };
      for (; !isOver; await nextTurn()) await look();
      deepEqual(new Set(outcomesOf(await recording)), new Set(["created"]), "the outcomes");
      const found = await Promise.all(list.map((each) => exists(backend, each)));
      equal(found.filter((each) => each).length, MOST, "number of operations");
    },
  },
  {
    rule: "many.repeated",
    name: "returns `created` again for the same operation ids, repeatedly, concurrently and after their end",
    check: async (backend) => {
      const list = [...newList(20), { operation: newOperation(), fingerprint: "1:abc" }];
      const created = list.map(() => "created");
      for (const results of await concurrently(5, () => backend.submissions.recordMany(list)))
        deepEqual(outcomesOf(results), created, "recording the same submissions");
      const first = list[0] as Submission;
      const { lease } = await begin(backend.operations, first.operation.id);
      await backend.operations.settle(lease, COMPLETED);
      deepEqual(outcomesOf(await backend.submissions.recordMany(list)), created, "recording them later");
      equal((await read(backend.operations, first.operation)).state, "completed", "the state");
    },
  },
  {
    rule: "many.race",
    name: "creates one operation per key for concurrent lists with the same keys in different orders",
    check: async (backend) => {
      const lists = await concurrently(6, async (index) =>
        index % 2 === 0 ? newList(50) : newList(50).toReversed(),
      );
      const answers = await Promise.all(lists.map((list) => backend.submissions.recordMany(list)));
      const owners = new Map<string | undefined, Set<string>>();
      for (const [at, list] of lists.entries())
        for (const [index, { operation }] of list.entries()) {
          const result = answers[at]?.[index] as RecordManyResult;
          const isOwn = result.outcome === "created";
          const id = isOwn ? operation.id : isOutcome(result, "exists", "recording a bound key").operation.id;
          equal(await exists(backend, { operation, fingerprint: "" }), isOwn, "whether its operation exists");
          owners.set(operation.key, (owners.get(operation.key) ?? new Set()).add(id));
        }
      for (const ids of owners.values()) equal(ids.size, 1, "number of operations of a key");
    },
  },
  {
    rule: "many.refused",
    name: "records none of several submissions if there is no room for all, and leaves their keys free",
    needs: ["fills"],
    check: async (_, __, harness) => {
      const full = await harness.createFull?.();
      if (full === undefined)
        throw new Error(
          "The harness declares `fills`, but has no `createFull`. Implement it or remove the capability.",
        );
      const { port, close } = full;
      try {
        const list = newList(MOST);
        await full.makeRoom();
        const answer = await port.submissions.recordMany(list).catch(() => "refused");
        equal(answer, "refused", "recording more than there is room for");
        const found = await Promise.all(list.map((each) => exists(port, each)));
        equal(found.includes(true), false, "whether an operation exists");
        const again = newSubmission({ key: inAnyOrder(0) });
        isOutcome(await port.submissions.record(again), "created", "recording a key again");
      } finally {
        await close?.();
      }
    },
  },
];
