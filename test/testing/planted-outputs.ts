import { createMemoryBackend, type OperationStore } from "async-request-reply";
import type { Lease, OutputAppend, OutputSlice, OutputStore } from "async-request-reply/ports";
import { allOperations } from "../support/all-operations.js";
import { replacing } from "../support/replacing.js";
import { noting } from "./changed-calls.js";
import type { PlantedStore } from "./planted-stores.js";

/** Methods of the stores that make a mistake. */
interface Mistakes {
  readonly operations?: Partial<OperationStore>;
  readonly output?: Partial<OutputStore>;
}

/** Back ends with a mistake in their outputs. The simulator must detect all of them. */
export const plantedOutputs: Readonly<Record<string, PlantedStore>> = {
  "a late worker appends": planted(/I28: .* grew with a stale token/, (output, operations) => {
    const current = new Map<string, string>();
    const onTime = async (given: OutputAppend): Promise<OutputAppend> => {
      const { operationId } = given.lease;
      const lease = { operationId, token: current.get(operationId) ?? given.lease.token };
      const state = await output.begun(lease);
      return state === "lost" || lease.token === given.lease.token
        ? given
        : { ...given, lease, from: state.count };
    };
    return {
      operations: noting(operations, ({ id }, token) => void current.set(id, token)),
      output: { append: async (appends) => output.append(await Promise.all(appends.map(onTime))) },
    };
  }),

  "a discarded chunk is read": reading(/I28: .* was read after .* as/, () => {
    const earlier = new Map<string, OutputSlice>();
    return (slice, name) => {
      const known = earlier.get(name);
      if (known !== undefined && known.chunks.length > slice.chunks.length)
        return { ...known, state: slice.state };
      earlier.set(name, slice);
      return slice;
    };
  }),

  "an output has a gap": reading(/I28: .* was read after .* as/, () => (slice) => ({
    ...slice,
    chunks: slice.chunks.toSpliced(1, 1),
  })),

  "a chunk that is appended again is there twice": planted(/I28: /, (output) => ({
    output: {
      append: async (appends) => {
        const again = await Promise.all(appends.map((each) => afterAll(output, each)));
        return output.append(again);
      },
    },
  })),

  "an output closes before the end": reading(
    /I28: .* was read as completed, but is pending/,
    () => (slice) => (slice.upToDate && slice.chunks.length > 0 ? { ...slice, state: "completed" } : slice),
  ),

  "a checkpoint is saved without its output": planted(/I28: /, (output) => ({
    output: {
      append: (appends) =>
        output.append(
          appends.map((each) => (each.checkpoint === undefined ? each : { ...each, chunks: [], bytes: 0 })),
        ),
    },
  })),

  "a checkpoint that arrives again replaces a later one": planted(
    /I28: an attempt of .* began with .* stands/,
    (output) => ({
      output: {
        append: async (appends) =>
          output.append(await Promise.all(appends.map((each) => setting(output, each)))),
      },
    }),
  ),

  "a worker of schema version 1 begins": planted(
    /I28: an attempt of .* began with .* stands/,
    (output, operations) => ({
      operations: {
        claim: async (request) => {
          const before = new Map<string, readonly string[]>();
          for (const { id } of await allOperations(operations)) before.set(id, await chunksOf(output, id));
          const claimed = await operations.claim(request);
          for (const { operation } of claimed.begun)
            await restore(
              output,
              { operationId: operation.id, token: request.token },
              before.get(operation.id) ?? [],
            );
          return claimed;
        },
      },
    }),
  ),
};

/** More than any history writes. */
const MANY = 1_000_000;

async function chunksOf(output: OutputStore, id: string): Promise<readonly string[]> {
  const [slice] = await output.read([{ id, maxLength: MANY }]);
  return slice?.chunks ?? [];
}

/** Appends what the begin of an attempt has discarded. */
async function restore(output: OutputStore, lease: Lease, before: readonly string[]): Promise<void> {
  const state = await output.begun(lease);
  if (state === "lost" || state.count >= before.length) return;
  const chunks = before.slice(state.count);
  await output.append([{ lease, from: state.count, chunks, bytes: sizeOf(chunks) }]);
}

/** Returns an append after all chunks if the same one was made before. */
async function afterAll(output: OutputStore, append: OutputAppend): Promise<OutputAppend> {
  const state = await output.begun(append.lease);
  const isRepeated = state !== "lost" && append.chunks.length > 0 && append.from < state.count;
  return isRepeated ? { ...append, from: state.count } : append;
}

/** Returns an append that sets its checkpoint with any number. */
async function setting(output: OutputStore, append: OutputAppend): Promise<OutputAppend> {
  const { lease, from, chunks, checkpoint } = append;
  const state = await output.begun(lease);
  if (state === "lost" || checkpoint === undefined) return append;
  const { value, number } = { value: "", number: 0, ...state.checkpoint };
  const set = { value: checkpoint.value, number: value === checkpoint.value ? number : number + 1 };
  const isRepeated = from + chunks.length <= state.count;
  return isRepeated
    ? { lease, from: state.count, chunks: [], bytes: 0, checkpoint: set }
    : { ...append, checkpoint: set };
}

function sizeOf(chunks: readonly string[]): number {
  return chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
}

/** Changes what is read. `name` stands for the output and the place. */
function reading(
  violation: RegExp,
  createChange: () => (slice: OutputSlice, name: string) => OutputSlice,
): PlantedStore {
  return planted(violation, (output) => {
    const change = createChange();
    return {
      output: {
        read: async (requests) => {
          const slices = await output.read(requests);
          return slices.map((slice, index) => {
            const { id, after } = requests[index] ?? {};
            return slice && change(slice, JSON.stringify([id, after]));
          });
        },
      },
    };
  });
}

function planted(
  violation: RegExp,
  mistakes: (output: OutputStore, operations: OperationStore) => Mistakes,
): PlantedStore {
  return {
    violation,
    create: (clock) => {
      const backend = createMemoryBackend({ clock });
      const { operations = {}, output = {} } = mistakes(backend.output, backend.operations);
      return {
        ...backend,
        operations: replacing(backend.operations, operations),
        output: replacing(backend.output, output),
      };
    },
  };
}
