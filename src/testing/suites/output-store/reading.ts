import { deepEqual, equal, ok } from "../../expect.js";
import { COMPLETED, createPending, FAILED, newId } from "../operation-store/fixtures.js";
import { again, append, type OutputStoreCheck, readSlice, readText, start } from "./fixtures.js";

/** More than a store reads at once. */
const APPENDS = 300;

export const outputReadingChecks: readonly OutputStoreCheck[] = [
  {
    rule: "read.empty",
    name: "reads an empty output of an operation that has written nothing",
    check: async (backend) => {
      const { id } = await createPending(backend.operations);
      const beginning = { epoch: 0, count: 0 };
      deepEqual(
        await readSlice(backend, id),
        { start: beginning, chunks: [], end: beginning, upToDate: true, state: "pending" },
        "the output",
      );
    },
  },
  {
    rule: "read.unknown",
    name: "reads nothing of an unknown operation, and many outputs in the order of the requests",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      const slices = await backend.output.read([
        { id: newId(), maxLength: 1 },
        { id, maxLength: 1 },
        { id, maxLength: 1, after: { epoch: 1, count: 1 } },
      ]);
      deepEqual(
        slices.map((slice) => slice?.chunks),
        [undefined, ['"a"'], []],
        "the outputs",
      );
    },
  },
  {
    rule: "read.parts",
    name: "reads a long output in parts, from any place",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      // Stores may keep short chunks together, and return them together.
      const words = [..."abcdefghij"].map((letter) => letter.repeat(400));
      const most = 1_000;
      for (const [index, word] of words.entries()) {
        if (index % 2 === 0) await append(backend, lease, index, [word, words[index + 1] ?? ""]);
        if (index === 4)
          ok(!(await readSlice(backend, id, undefined, most)).upToDate, "expected more than one part");
      }
      let text = "";
      let slice = await readSlice(backend, id, undefined, most);
      for (let part = 0; part < words.length && slice.chunks.length > 0; part += 1) {
        text += slice.chunks.map((chunk) => JSON.parse(chunk)).join("");
        slice = await readSlice(backend, id, slice.end, most);
      }
      equal(text, words.join(""), "the parts together");
      ok(slice.upToDate, "expected the last part to be up to date");
      equal(
        await readText(backend, id, { epoch: 1, count: 3 }),
        words.slice(3).join(""),
        "the output from a place within a part",
      );
    },
  },
  {
    rule: "read.many-epochs",
    name: "reads what several attempts have left",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      let current = lease;
      for (const [index, letter] of "abcdef".split("").entries()) {
        await append(backend, current, index, [letter], String(index));
        await append(backend, current, index + 1, ["x"]);
        current = await again(backend, current);
      }
      equal(await readText(backend, id), "abcdef", "the output");
      equal(
        await readText(backend, id, { epoch: 3, count: 3 }),
        "def",
        "the output from the third attempt on",
      );
    },
  },
  {
    rule: "read.checkpoint-time",
    name: "says when the last checkpoint was set, also for a successor that keeps it",
    check: async (backend, { unitMs, pass }) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      equal((await readSlice(backend, id)).checkpointAt, undefined, "the time before the first checkpoint");
      await append(backend, lease, 1, [], "1");
      const { checkpointAt: first = 0 } = await readSlice(backend, id);
      const [operation] = await backend.operations.getMany([id]);
      ok(first >= (operation?.createdAt ?? 0), "expected the checkpoint after the operation was created");
      await pass(2 * unitMs);
      await append(backend, lease, 1, ["b"]);
      equal((await readSlice(backend, id)).checkpointAt, first, "the time after more chunks");
      await append(backend, lease, 2, ["c"], "2");
      const { checkpointAt: second = 0 } = await readSlice(backend, id);
      ok(second > first, "expected the second checkpoint after the first");
      await backend.operations.settle(lease, FAILED);
      const ids = { id: newId(), onEndId: newId() };
      await backend.operations.redrive(id, { ...ids, keepCheckpoint: true });
      equal((await readSlice(backend, ids.id)).checkpointAt, second, "the time of the successor");
    },
  },
  {
    rule: "read.parts-of-epochs",
    name: "reads what several attempts have left in parts of any length, and skips nothing",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a", "b"], "1");
      await append(backend, lease, 2, ["c"], "2");
      await append(backend, await again(backend, lease), 3, ["d"]);
      for (let maxLength = 1; maxLength < 20; maxLength += 1) {
        let text = "";
        let slice = await readSlice(backend, id, undefined, maxLength);
        for (let part = 0; part < 4; part += 1) {
          text += slice.chunks.map((chunk) => JSON.parse(chunk)).join("");
          slice = await readSlice(backend, id, slice.end, maxLength);
        }
        equal(text, "abcd", `the parts of a length of ${maxLength}`);
      }
    },
  },
  {
    rule: "read.many-appends",
    name: "reads what two attempts have appended a chunk at a time, and skips nothing",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      // Stores may keep shorter chunks together.
      const word = "a".repeat(600);
      for (let from = 0; from < APPENDS; from += 1) await append(backend, lease, from, [word]);
      await append(backend, lease, APPENDS, [], "1");
      await append(backend, await again(backend, lease), APPENDS, ["b"]);
      let text = "";
      let slice = await readSlice(backend, id);
      for (let part = 0; part < APPENDS && slice.chunks.length > 0; part += 1) {
        text += slice.chunks.map((chunk) => JSON.parse(chunk)).join("");
        slice = await readSlice(backend, id, slice.end);
      }
      equal(text, `${word.repeat(APPENDS)}b`, "the parts together");
      ok(slice.upToDate, "expected the last part to be up to date");
    },
  },
  {
    rule: "read.short-chunks",
    name: "reads short chunks from any place, while more of them come",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      const words: string[] = [];
      for (let from = 0; from < 60; from += 1) {
        const word = `word ${from} ${"long ".repeat(from % 7)}`;
        await append(backend, lease, from, [word]);
        words.push(word);
        for (const count of [from - 20, from - 1, from].filter((place) => place > 0))
          equal(
            await readText(backend, id, { epoch: 1, count }),
            words.slice(count).join(""),
            `the chunks from ${count} of ${from + 1}`,
          );
      }
    },
  },
  {
    rule: "read.watch",
    name: "tells watchers which outputs grow",
    needs: ["watch"],
    check: async (backend, { unitMs, pass }) => {
      const { id, lease } = await start(backend);
      const told = new Set<string | undefined>();
      const stop = backend.output.watch((operationId) => void told.add(operationId));
      try {
        await append(backend, lease, 0, ["a"]);
        for (let waited = 0; waited < 10 && !told.has(id); waited += 1) await pass(unitMs);
        ok(told.has(id), "expected a watcher to be told of an output that grows");
      } finally {
        stop();
      }
    },
  },
  {
    rule: "read.purged",
    name: "deletes the output with its operation, and what was discarded",
    needs: ["skipsTime"],
    check: async (backend, { pass }) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"], "1");
      await append(backend, lease, 1, ["b"]);
      const next = await again(backend, lease);
      await append(backend, next, 1, ["c"]);
      await backend.output.clean({ limit: 100 });
      equal(await readText(backend, id), "ac", "the output after cleaning");
      await backend.operations.settle(next, COMPLETED);
      await pass(3_600_001);
      equal(await backend.submissions.purge({ limit: 10 }), 1, "the operations that were purged");
      deepEqual(await backend.output.read([{ id, maxLength: 1 }]), [undefined], "the output");
      await backend.output.clean({ limit: 100 });
      equal(await backend.output.clean({ limit: 100 }), 0, "the rows that are left to delete");
    },
  },
];
