import { deepEqual, equal } from "../../expect.js";
import { begin, GIVEN_BACK } from "../operation-store/fixtures.js";
import { again, append, type OutputStoreCheck, readSlice, readText, start } from "./fixtures.js";

export const checkpointChecks: readonly OutputStoreCheck[] = [
  {
    rule: "checkpoint.discards",
    name: "discards everything when the next attempt begins, if there is no checkpoint",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a", "b"]);
      await backend.operations.settle(lease, GIVEN_BACK);
      equal(await readText(backend, id), "ab", "the output between attempts");
      const { lease: next } = await begin(backend.operations, id);
      equal(await readText(backend, id), "", "the output of the next attempt");
      deepEqual(await backend.output.begun(next), { count: 0, bytes: 0 }, "what stands");
    },
  },
  {
    rule: "checkpoint.keeps",
    name: "keeps what stood at the last checkpoint when the next attempt begins",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"], "1");
      await append(backend, lease, 1, ["b"], "2");
      await append(backend, lease, 2, ["c", "d"]);
      const next = await again(backend, lease);
      deepEqual(
        await backend.output.begun(next),
        { count: 2, bytes: 6, checkpoint: { value: "2", number: 3, attempt: 1 } },
        "what stands",
      );
      await append(backend, next, 2, ["e"]);
      equal(await readText(backend, id), "abe", "the output");
    },
  },
  {
    rule: "checkpoint.alone",
    name: "keeps a checkpoint without chunks, and the attempt that set it",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, [], "1");
      const next = await again(backend, lease);
      await append(backend, next, 0, [], "2");
      deepEqual(
        await backend.output.begun(next),
        { count: 0, bytes: 0, checkpoint: { value: "2", number: 3, attempt: 2 } },
        "what stands",
      );
      equal(await readText(backend, id), "", "the output");
    },
  },
  {
    rule: "checkpoint.repeated",
    name: "keeps the last checkpoint when an earlier call arrives again",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"], "1");
      await append(backend, lease, 1, ["b"]);
      await append(backend, lease, 0, ["a"], "1");
      const next = await again(backend, lease);
      deepEqual(
        await backend.output.begun(next),
        { count: 1, bytes: 3, checkpoint: { value: "1", number: 2, attempt: 1 } },
        "what stands after a checkpoint and one more chunk",
      );
      await append(backend, next, 1, ["c"], "2");
      await append(backend, next, 2, ["d"], "3");
      await append(backend, next, 3, [], "4");
      await append(backend, next, 1, ["c"], "2");
      await append(backend, next, 3, [], "5");
      await append(backend, next, 3, [], "4");
      await append(backend, next, 3, ["e"]);
      const last = await again(backend, next);
      deepEqual(
        await backend.output.begun(last),
        { count: 3, bytes: 9, checkpoint: { value: "5", number: 6, attempt: 2 } },
        "what stands after more checkpoints",
      );
      equal(await readText(backend, id), "acd", "the output");
    },
  },
  {
    rule: "checkpoint.lost-lease",
    name: "discards in the step that takes a lost operation over",
    check: async (backend, { unitMs, pass }) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"], "1");
      await append(backend, lease, 1, ["b"]);
      await backend.operations.settle(lease, GIVEN_BACK);
      const second = await begin(backend.operations, id, { leaseMs: unitMs });
      await append(backend, second.lease, 1, ["c"]);
      await pass(2 * unitMs);
      const third = await begin(backend.operations, id);
      equal(await readText(backend, id), "a", "the output after two attempts without a checkpoint");
      await append(backend, third.lease, 1, ["d"]);
      equal(await readText(backend, id), "ad", "the output");
    },
  },
  {
    rule: "checkpoint.repeated-claim",
    name: "discards nothing when a claim is repeated",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"]);
      const definition = { name: "orders", slots: 1, leaseMs: 3_600_000, suspects: 1 };
      const claimed = await backend.operations.claim({
        token: lease.token,
        limit: 1,
        definitions: [definition],
        repeated: true,
      });
      equal(claimed.begun.length, 1, "the attempts of the repeated claim");
      await append(backend, lease, 1, ["b"]);
      equal(await readText(backend, id), "ab", "the output");
    },
  },
  {
    rule: "checkpoint.positions",
    name: "tells a reader which of the chunks that it has still stand",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a", "b"], "1");
      const kept = (await readSlice(backend, id)).end;
      await append(backend, lease, 2, ["c"]);
      const { end: discarded } = await readSlice(backend, id);
      const next = await again(backend, lease);
      deepEqual((await readSlice(backend, id, discarded)).start, kept, "the last place that stands");
      await append(backend, next, 2, ["d", "e"]);
      deepEqual((await readSlice(backend, id, discarded)).start, kept, "the same place, after more chunks");
      equal(await readText(backend, id, kept), "de", "the output after that place");
      const { end } = await readSlice(backend, id, kept);
      const last = await again(backend, next);
      deepEqual(
        (await readSlice(backend, id, end)).start,
        kept,
        "the last place that stands after two discards",
      );
      await append(backend, last, 2, ["f"], "2");
      const state = await readSlice(backend, id, kept);
      deepEqual([state.start, state.chunks], [kept, ['"f"']], "the output after the place that always stood");
    },
  },
];
