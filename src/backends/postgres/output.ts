import type { BatchSettings } from "../../batching/batches.js";
import { isOperationId } from "../../contract/operation.js";
import { BEGINNING, isSamePosition } from "../../contract/output.js";
import { type OutputRun, sliceOf, standingBefore, toOutputState } from "../../engine/output.js";
import type {
  AppendResult,
  OutputAppend,
  OutputRequest,
  OutputSlice,
  OutputStore,
} from "../../ports/output-store.js";
import { chunksText, toHead, toRun, toSegments } from "../shared/output-row.js";
import { integer, type Row, state, text } from "../shared/row.js";
import { createCallBatch, orEmpty } from "./calls/call-batch.js";
import type { Gateway } from "./calls/gateway.js";
import type { Changes } from "./notices/channels.js";

/** Outputs in a call. As many as a call that reads has, because they cost less than submissions do. */
const MAX_BATCH = 500;

/** Creates the output store. Concurrent appends of all operations share a statement. */
export function createPostgresOutput(
  gateway: Gateway<unknown>,
  limits: BatchSettings,
  appended: Changes,
): OutputStore {
  const append = createCallBatch<OutputAppend, AppendResult>({
    gateway,
    name: "append_output_v2",
    limits: { ...limits, maxBatch: MAX_BATCH },
    bytesOf: ({ bytes }) => bytes,
    valuesOf: appendValues,
    resultOf: (row) => (row === undefined ? "stored" : "lost"),
  });

  async function appendOne(each: OutputAppend): Promise<AppendResult> {
    const { operationId } = each.lease;
    if (!isOperationId(operationId)) return "lost";
    const result = await append(each);
    if (result === "stored" && each.chunks.length > 0) appended.changed(operationId);
    return result;
  }

  return {
    begun: async ({ operationId, token }) => {
      if (!isOperationId(operationId)) return "lost";
      const [row] = await gateway.call("output_begun_v2", [operationId, token], { repeatable: true });
      return row === undefined ? "lost" : toOutputState(toHead(row));
    },
    append: (appends) => Promise.all(appends.map(appendOne)),
    read: async (requests) => {
      const rows = await gateway.call("read_output_v2", readValues(requests), { repeatable: true });
      const byPlace = new Map<number, Row[]>();
      for (const row of rows) getOrAdd(byPlace, integer(row, "place")).push(row);
      return requests.map((request, index) => toSlice(request, byPlace.get(index + 1)));
    },
    watch: appended.watch,
    clean: async ({ limit }) => {
      const [row = {}] = await gateway.call("clean_output_v2", [limit]);
      return integer(row, "deleted");
    },
  };
}

/** Returns the parameters of `append_output_v2`. */
export function appendValues(items: readonly OutputAppend[]): unknown[] {
  return [
    items.map(({ lease }) => lease.operationId),
    items.map(({ lease }) => lease.token),
    items.map(({ from }) => from),
    items.map(({ chunks }) => chunks.length),
    items.map(({ bytes }) => bytes),
    items.map(({ chunks }) => chunksText(chunks)),
    items.map(({ checkpoint }) => orEmpty(checkpoint?.value)),
    items.map(({ checkpoint }) => checkpoint?.number ?? 0),
  ];
}

const UNKNOWN_ID = "00000000-0000-0000-0000-000000000000";

function readValues(requests: readonly OutputRequest[]): unknown[] {
  return [
    requests.map(({ id }) => (isOperationId(id) ? id : UNKNOWN_ID)),
    requests.map(({ after }) => after?.count ?? 0),
    requests.map(({ maxLength }) => maxLength),
  ];
}

function getOrAdd(byPlace: Map<number, Row[]>, place: number): Row[] {
  const known = byPlace.get(place) ?? [];
  byPlace.set(place, known);
  return known;
}

/** Makes a slice of the rows of a request, in order. Each describes the output. Chunks begin at the place of the reader. */
function toSlice({ after = BEGINNING }: OutputRequest, rows: readonly Row[] = []): OutputSlice | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const count = integer(first, "count");
  const start = standingBefore({ segments: toSegments(text(first, "segments")), count }, after);
  const checkpointAt = first.checkpoint_at === null ? undefined : integer(first, "checkpoint_at");
  // If some of the reader's chunks were discarded, it has to know that before it reads others.
  const runs = isSamePosition(start, after) ? rows.flatMap(toRuns) : [];
  return sliceOf({ count, state: state(first), checkpointAt }, start, runs);
}

function toRuns(row: Row): readonly OutputRun[] {
  return row.chunks === null ? [] : [toRun(row)];
}
