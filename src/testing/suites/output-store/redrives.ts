import type { RedriveResult } from "../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../expect.js";
import { begin, FAILED, LONG_MS, newId } from "../operation-store/fixtures.js";
import { again, append, type OutputBackend, type OutputStoreCheck, readText, start } from "./fixtures.js";

/** Runs a failed operation again, and returns the id of its successor. */
async function redrive({ operations }: OutputBackend, id: string, keepCheckpoint?: boolean): Promise<string> {
  const ids = { id: newId(), onEndId: newId() };
  const result: RedriveResult = await operations.redrive(id, {
    ...ids,
    ...(keepCheckpoint !== undefined && { keepCheckpoint }),
  });
  return isOutcome(result, "redriven", "redriving").operationId;
}

export const outputRedriveChecks: readonly OutputStoreCheck[] = [
  {
    rule: "redrive.keeps",
    name: "lets a successor start from the last checkpoint, without the chunks",
    check: async (backend) => {
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"], "1");
      const second = await again(backend, lease);
      await append(backend, second, 1, ["b"], "2");
      await append(backend, second, 2, ["c"]);
      await backend.operations.settle(second, FAILED);
      const successor = await redrive(backend, id, true);
      equal(await readText(backend, id), "abc", "the output of the failed operation");
      equal(await readText(backend, successor), "", "the output of its successor");
      const first = await begin(backend.operations, successor, { leaseMs: LONG_MS });
      const kept = { count: 0, bytes: 0, checkpoint: { value: "2", number: 3, attempt: 1 } };
      deepEqual(await backend.output.begun(first.lease), kept, "what stands for its first attempt");
      await append(backend, first.lease, 0, ["d"]);
      const next = await again(backend, first.lease);
      deepEqual(await backend.output.begun(next), kept, "what stands for its second attempt");
      await append(backend, next, 0, ["e"], "3");
      equal(await readText(backend, successor), "e", "the output of its second attempt");
    },
  },
  {
    rule: "redrive.starts-over",
    name: "lets a successor start without a checkpoint, unless the first redrive asks for it and there is one",
    check: async (backend) => {
      const nothing = { count: 0, bytes: 0 };
      const { id, lease } = await start(backend);
      await append(backend, lease, 0, ["a"], "1");
      await backend.operations.settle(lease, FAILED);
      const successor = await redrive(backend, id);
      equal(await redrive(backend, id, true), successor, "the successor of a repeated redrive");
      const { lease: first } = await begin(backend.operations, successor);
      deepEqual(await backend.output.begun(first), nothing, "what stands for the successor");
      const bare = await start(backend);
      await append(backend, bare.lease, 0, ["a"]);
      await backend.operations.settle(bare.lease, FAILED);
      const { lease: other } = await begin(backend.operations, await redrive(backend, bare.id, true));
      deepEqual(await backend.output.begun(other), nothing, "what stands if there was no checkpoint");
    },
  },
];
