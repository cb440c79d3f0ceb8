import { parseStored } from "../../contract/json/json-text.js";
import type { JsonText } from "../../contract/operation.js";
import type { OutputHead, OutputRun, Segment } from "../../engine/output.js";
import { integer, type Row, text } from "./row.js";

/** Returns the column with the segments of an output: JSON, with the epoch and the first chunk of each. */
export function segmentsText(segments: readonly Segment[]): JsonText {
  return JSON.stringify(segments.map(({ epoch, first }) => [epoch, first]));
}

/** Reads the row of an output. Throws `CORRUPT_RECORD`. */
export function toHead(row: Row): OutputHead {
  const head = {
    epoch: integer(row, "epoch"),
    count: integer(row, "count"),
    bytes: integer(row, "bytes"),
    segments: toSegments(text(row, "segments")),
  };
  if (typeof row.checkpoint !== "string") return head;
  const checkpoint = {
    value: text(row, "checkpoint"),
    number: integer(row, "checkpoint_number"),
    attempt: integer(row, "checkpoint_attempt"),
    at: integer(row, "checkpoint_at"),
    count: integer(row, "checkpoint_count"),
    bytes: integer(row, "checkpoint_bytes"),
  };
  return { ...head, checkpoint };
}

/** Reads what {@link segmentsText} has written. Throws `CORRUPT_RECORD`. */
export function toSegments(stored: string): readonly Segment[] {
  return (parseStored(stored) as [number, number][]).map(([epoch, first]) => ({ epoch, first }));
}

/** Returns the column with chunks that were appended together. JSON without line breaks, one to a line. */
export function chunksText(chunks: readonly JsonText[]): string {
  return chunks.join("\n");
}

/** Reads a row of chunks. Throws `CORRUPT_RECORD`. */
export function toRun(row: Row): OutputRun {
  return {
    epoch: integer(row, "epoch"),
    first: integer(row, "first"),
    chunks: text(row, "chunks").split("\n"),
  };
}
