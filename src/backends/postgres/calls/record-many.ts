import { type BatchSettings, createBatches } from "../../../batching/batches.js";
import { sleep } from "../../../platform/waits.js";
import type { Runtime } from "../../../ports/runtime.js";
import type { RecordManyResult, Submission } from "../../../ports/submission.js";
import type { Row } from "../../shared/row.js";
import { codeOf } from "../connection/driver-error.js";
import { isRowError } from "../connection/store-error.js";
import { byPlace, type Unsent } from "./call-batch.js";
import type { FunctionName } from "./functions.js";
import type { Gateway } from "./gateway.js";
import { recordBytes, recordValues, toManyResult } from "./recording.js";

type List = readonly Submission[];

/** Options of {@link createRecordMany}. */
export interface RecordManyOptions {
  readonly gateway: Gateway<unknown>;
  /** Limits of the lists that wait. Each list is its own batch. */
  readonly limits: BatchSettings;
  readonly unsent: Unsent<Submission>;
  readonly runtime: Pick<Runtime, "clock" | "random">;
}

/** Long enough for the commit of another process that records the same keys. */
const WAIT_MS = 1_000;
const PAUSE_MS = 100;

/** One statement for a list. Resolves to undefined if the list must wait for a key that another transaction holds. */
interface Try {
  readonly list: List;
  readonly run: () => Promise<readonly Row[] | undefined>;
}

/** Creates the function that records a list of submissions in one statement, and so in one commit. */
export function createRecordMany(
  options: RecordManyOptions,
): (list: List) => Promise<readonly RecordManyResult[]> {
  const { gateway, limits, unsent, runtime } = options;

  function call(name: FunctionName, list: List, rowErrors = true): Promise<readonly Row[]> {
    const onSend = (): void => unsent.send(list, list);
    return gateway.call(name, recordValues(list), { repeatable: true, rowErrors, onSend });
  }

  /** If one row makes a statement fail, nothing is recorded, and only the function that isolates rows helps. */
  async function tryRecord(
    name: FunctionName,
    list: List,
    mayWait: () => boolean,
  ): Promise<readonly Row[] | undefined> {
    try {
      return await call(name, list);
    } catch (error) {
      if (!isRowError(error)) throw error;
      return isKeyHeld(error) && mayWait() ? undefined : call("record_each_v1", list, false);
    }
  }

  const inBatches = (): ((each: Try) => Promise<readonly Row[] | undefined>) =>
    createBatches(
      { ...limits, maxBatch: 1 },
      ({ list }) => bytesOf(list),
      (tries) => Promise.all(tries.map(({ run }) => run())),
    );
  const runFirst = inBatches();
  /** Separate from first tries, because every try can wait for a lock. */
  const runAgain = inBatches();
  const room = createRoom(limits);

  /** Pauses outside of the batches, so that other lists go on while this one waits for a key. */
  async function rowsOf(list: List): Promise<readonly Row[]> {
    let end = 0;
    const first = (): ReturnType<Try["run"]> => {
      end = runtime.clock.elapsed() + WAIT_MS;
      return tryRecord("record_new_v1", list, () => room.enter(list));
    };
    const again = (): ReturnType<Try["run"]> =>
      tryRecord("record_v1", list, () => runtime.clock.elapsed() < end);
    try {
      let rows = await runFirst({ list, run: first });
      while (rows === undefined) {
        await sleep(PAUSE_MS * (0.5 + runtime.random() / 2), runtime.clock);
        rows = await runAgain({ list, run: again });
      }
      return rows;
    } finally {
      room.leave(list);
    }
  }

  return async (list) => {
    try {
      const rowAt = byPlace(await rowsOf(list));
      return list.map((submission, index) => toManyResult(rowAt(index), submission));
    } finally {
      unsent.answered(list);
    }
  };
}

/** Lists that wait for keys. */
interface Room {
  /** Adds a list. Returns false if the limits leave no room for it. */
  enter(list: List): boolean;
  /** Removes a list. Has no effect if it is not in the room. */
  leave(list: List): void;
}

/** Creates a room that never holds more than fits into the batches, so none of its lists is refused there. */
function createRoom({ maxWaiting, maxWaitingBytes }: BatchSettings): Room {
  const lists = new Set<List>();
  let bytes = 0;
  return {
    enter: (list) => {
      const added = bytesOf(list);
      if (lists.size >= maxWaiting || (lists.size > 0 && bytes + added > maxWaitingBytes)) return false;
      lists.add(list);
      bytes += added;
      return true;
    },
    leave: (list) => {
      if (lists.delete(list)) bytes -= bytesOf(list);
    },
  };
}

function bytesOf(list: List): number {
  return list.reduce((sum, each) => sum + recordBytes(each), 0);
}

function isKeyHeld(error: unknown): boolean {
  return codeOf(error) === "55P03";
}
