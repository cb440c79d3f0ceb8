import { type BatchLimits, createBatches } from "../../../batching/batches.js";
import type { Runtime } from "../../../ports/runtime.js";
import type { RecordManyResult, Submission } from "../../../ports/submission.js";
import { sleep } from "../../../ports/waits.js";
import type { Row } from "../../shared/row.js";
import { codeOf } from "../connection/driver-error.js";
import { isRowError } from "../connection/store-error.js";
import type { FunctionName } from "./functions.js";
import type { Gateway } from "./gateway.js";
import { byPlace, toManyResult } from "./results.js";
import type { Unsent } from "./unsent.js";
import { recordBytes, recordValues } from "./values.js";

type List = readonly Submission[];

/** Options of {@link createRecordMany}. */
export interface RecordManyOptions {
  readonly gateway: Gateway<unknown>;
  /** Limits of the lists that wait. Each list is its own batch. */
  readonly limits: BatchLimits;
  readonly unsent: Unsent<Submission>;
  readonly runtime: Pick<Runtime, "clock" | "random">;
  /** Called for each submission with its row. */
  readonly onRecorded: (submission: Submission, row: Row | undefined) => void;
}

/** Long enough for the commit of another process that records the same keys. */
const WAIT_MS = 1_000;
const PAUSE_MS = 100;

/** Creates the function that records a list of submissions in one statement, and so in one commit. */
export function createRecordMany(
  options: RecordManyOptions,
): (list: List) => Promise<readonly RecordManyResult[]> {
  const { gateway, limits, unsent, runtime, onRecorded } = options;

  function call(name: FunctionName, list: List, rowErrors = true): Promise<readonly Row[]> {
    const onSend = (): void => unsent.send(list, list);
    return gateway.call(name, recordValues(list), { repeatable: true, rowErrors, onSend });
  }

  /** If one row makes a statement fail, nothing is recorded, and only the function that isolates rows helps. */
  async function rowsOf(list: List): Promise<readonly Row[]> {
    const end = runtime.clock.elapsed() + WAIT_MS;
    for (let name: FunctionName = "record_new_v1"; ; name = "record_v1") {
      try {
        return await call(name, list);
      } catch (error) {
        if (!isRowError(error)) throw error;
        if (!isKeyHeld(error) || runtime.clock.elapsed() >= end) return call("record_each_v1", list, false);
      }
      await sleep(PAUSE_MS * (0.5 + runtime.random() / 2), runtime.clock);
    }
  }

  async function record(list: List): Promise<readonly RecordManyResult[]> {
    try {
      const rowAt = byPlace(await rowsOf(list));
      return list.map((submission, index) => {
        onRecorded(submission, rowAt(index));
        return toManyResult(rowAt(index), submission);
      });
    } finally {
      unsent.answered(list);
    }
  }

  const bytesOf = (list: List): number => list.reduce((sum, each) => sum + recordBytes(each), 0);
  return createBatches<List, readonly RecordManyResult[]>({ ...limits, maxBatch: 1 }, bytesOf, (lists) =>
    Promise.all(lists.map(record)),
  );
}

function isKeyHeld(error: unknown): boolean {
  return codeOf(error) === "55P03";
}
