import type { OutputPosition } from "../../../contract/output.js";
import type { Backend } from "../../../ports/backend.js";
import type { Lease } from "../../../ports/operation-store.js";
import type { OutputAppend, OutputSlice } from "../../../ports/output-store.js";
import { equal, ok } from "../../expect.js";
import { begin, createWorking, LONG_MS, RETRIED } from "../operation-store/fixtures.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** A back end with an output store. */
export type OutputBackend = Required<Pick<Backend, "operations" | "submissions" | "output">>;

/** Creates back ends for `outputStoreCases`. */
export type OutputStoreHarness = PortHarness<OutputBackend>;

export type OutputStoreCheck = PortCheck<OutputBackend, OutputStoreHarness>;

/** More than any case stores. */
const MANY = 1_000_000;

/** Appends chunks that must be stored. */
export async function append(
  { output }: OutputBackend,
  lease: Lease,
  from: number,
  chunks: readonly string[],
  checkpoint?: string,
): Promise<void> {
  equal((await tryAppend({ output }, lease, from, chunks, checkpoint))[0], "stored", "appending chunks");
}

/** Appends chunks. Each is one character, in JSON. */
export function tryAppend(
  { output }: Pick<OutputBackend, "output">,
  lease: Lease,
  from: number,
  chunks: readonly string[],
  checkpoint?: string,
): ReturnType<OutputBackend["output"]["append"]> {
  return output.append([toAppend(lease, from, chunks, checkpoint)]);
}

/** Returns the parameter of an append. Checkpoints that are numbers count up. */
export function toAppend(
  lease: Lease,
  from: number,
  chunks: readonly string[],
  checkpoint?: string,
): OutputAppend {
  const texts = chunks.map((chunk) => JSON.stringify(chunk));
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  if (checkpoint === undefined) return { lease, from, chunks: texts, bytes };
  const number = (Number(checkpoint) || 0) + 1;
  return { lease, from, chunks: texts, bytes, checkpoint: { value: checkpoint, number } };
}

/** Reads a slice of an operation that must exist. */
export async function readSlice(
  { output }: OutputBackend,
  id: string,
  after?: OutputPosition,
  maxLength: number = MANY,
): Promise<OutputSlice> {
  const [slice] = await output.read([{ id, maxLength, ...(after && { after }) }]);
  ok(slice !== undefined, "expected to read the output of an operation that was created");
  return slice as OutputSlice;
}

/** Reads everything that stands, as one text. */
export async function readText(backend: OutputBackend, id: string, after?: OutputPosition): Promise<string> {
  const { chunks } = await readSlice(backend, id, after);
  return chunks.map((chunk) => JSON.parse(chunk) as string).join("");
}

/** Begins an operation, and returns its id and lease. */
export async function start({
  operations,
}: OutputBackend): Promise<{ readonly id: string; readonly lease: Lease }> {
  const { operation, lease } = await createWorking(operations, LONG_MS);
  return { id: operation.id, lease };
}

/** Gives an operation back and begins its next attempt. */
export async function again({ operations }: OutputBackend, lease: Lease): Promise<Lease> {
  await operations.settle(lease, RETRIED);
  return (await begin(operations, lease.operationId)).lease;
}
