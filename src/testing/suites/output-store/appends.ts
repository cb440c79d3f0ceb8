import { deepEqual, equal } from "../../expect.js";
import {
  begin,
  COMPLETED,
  createPending,
  createWorking,
  newId,
  newToken,
} from "../operation-store/fixtures.js";
import {
  again,
  append,
  type OutputStoreCheck,
  readSlice,
  readText,
  start,
  toAppend,
  tryAppend,
} from "./fixtures.js";

export const appendChecks: readonly OutputStoreCheck[] = [
  {
    rule: "append.order",
    name: "keeps the chunks of an attempt in their order",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a", "b"]);
      await append(backend, lease, 2, ["c"]);
      equal(await readText(backend, id), "abc", "the output");
    },
  },
  {
    rule: "append.many",
    name: "appends to many operations at once, and answers for each in their order",
    check: async (backend) => {
      const [one, other, third] = [await start(backend), await start(backend), await start(backend)];
      const stale = { ...other.lease, token: newToken() };
      const results = await backend.output.append([
        toAppend(one.lease, 0, ["a"]),
        toAppend(stale, 0, ["x"]),
        toAppend(third.lease, 0, ["c", "d"]),
      ]);
      deepEqual(results, ["stored", "lost", "stored"], "the results");
      equal(await readText(backend, one.id), "a", "the first output");
      equal(await readText(backend, other.id), "", "the second output");
      equal(await readText(backend, third.id), "cd", "the third output");
    },
  },
  {
    rule: "append.repeated",
    name: "stores nothing twice when a call is repeated",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      await append(backend, lease, 1, ["b", "c"], "1");
      await append(backend, lease, 1, ["b", "c"], "1");
      equal(await readText(backend, id), "abc", "the output");
      deepEqual(
        await backend.output.begun(lease),
        { count: 3, bytes: 9, checkpoint: { value: "1", number: 2, attempt: 1 } },
        "what stands",
      );
    },
  },
  {
    rule: "append.gap",
    name: "refuses chunks that do not follow those that stand",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      deepEqual(await tryAppend(backend, lease, 2, ["c"]), ["lost"], "appending after a gap");
      equal(await readText(backend, id), "a", "the output");
    },
  },
  {
    rule: "append.late",
    name: "appends nothing for an attempt that another one has replaced",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      const next = await again(backend, lease);
      deepEqual(await tryAppend(backend, lease, 1, ["x"], "9"), ["lost"], "appending late");
      deepEqual(await tryAppend(backend, lease, 0, ["x"]), ["lost"], "appending late from the beginning");
      await append(backend, next, 0, ["b"]);
      equal(await readText(backend, id), "b", "the output");
      deepEqual(await backend.output.begun(lease), "lost", "what stands for the late attempt");
    },
  },
  {
    rule: "append.waiting",
    name: "appends nothing between two attempts",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      await backend.operations.settle(lease, { to: "retry", delayMs: 3_600_000, countAttempt: true });
      deepEqual(await tryAppend(backend, lease, 1, ["x"]), ["lost"], "appending between attempts");
      equal(await readText(backend, id), "a", "the output");
    },
  },
  {
    rule: "append.ended",
    name: "appends nothing to an operation that has ended, and keeps what stood",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      await backend.operations.settle(lease, COMPLETED);
      deepEqual(await tryAppend(backend, lease, 1, ["x"]), ["lost"], "appending after the end");
      const { chunks, state, upToDate } = await readSlice(backend, id);
      deepEqual(
        { chunks, state, upToDate },
        { chunks: ['"a"'], state: "completed", upToDate: true },
        "the output",
      );
    },
  },
  {
    rule: "append.cancelled",
    name: "still appends while a cancellation is requested, and keeps it when the operation ends",
    check: async (backend) => {
      const { operation, lease } = await createWorking(backend.operations);
      await append(backend, lease, 0, ["a"]);
      equal(
        await backend.operations.requestCancel(operation.id, operation.tenant),
        "requested",
        "cancelling",
      );
      await append(backend, lease, 1, ["b"]);
      await backend.operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: true });
      const { chunks, state } = await readSlice(backend, operation.id);
      deepEqual({ chunks, state }, { chunks: ['"a"', '"b"'], state: "failed" }, "the output");
    },
  },
  {
    rule: "append.unknown",
    name: "appends nothing to an operation that is unknown or has not begun",
    check: async (backend) => {
      const { id } = await createPending(backend.operations);
      const token = newToken();
      const results = [
        await tryAppend(backend, { operationId: id, token }, 0, ["x"]),
        await tryAppend(backend, { operationId: newId(), token }, 0, ["x"]),
      ];
      deepEqual(results, [["lost"], ["lost"]], "the results");
      const { lease } = await begin(backend.operations, id);
      deepEqual(await backend.output.begun(lease), { count: 0, bytes: 0 }, "what stands");
    },
  },
  {
    rule: "append.texts",
    name: "keeps every text of a chunk and of a checkpoint",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      const chunks = ["", "\n\r\u2028\u0000", 'a"\\', "😀é", "x".repeat(100_000)];
      await append(backend, lease, 0, chunks, JSON.stringify({ "\u0000": chunks }));
      const { chunks: stored } = await readSlice(backend, id);
      deepEqual(
        stored,
        chunks.map((chunk) => JSON.stringify(chunk)),
        "the output",
      );
      const state = await backend.output.begun(lease);
      deepEqual(
        state === "lost" ? state : state.checkpoint,
        { value: JSON.stringify({ "\u0000": chunks }), number: 1, attempt: 1 },
        "the checkpoint",
      );
    },
  },
];
