import type { DurableObjectBackend } from "../../backends/durable-objects/backend.js";
import type {
  InspectedOperation,
  InspectRequest,
  ListedOperation,
  ListRequest,
} from "../../ports/operation-reads.js";
import type { CancelOutcome, OperationStore, RedriveResult } from "../../ports/operation-store.js";
import type { OutputRequest, OutputSlice } from "../../ports/output-store.js";

/** Calls of an operator to an object. They are those of its store. */
export interface OperatorCalls {
  /** Null if the operation is unknown. */
  readonly inspect: (request: InspectRequest) => Promise<InspectedOperation | null>;
  readonly list: (request: ListRequest) => Promise<readonly ListedOperation[]>;
  readonly requestCancel: (request: {
    readonly id: string;
    readonly tenant: string;
  }) => Promise<CancelOutcome>;
  readonly redrive: (request: {
    readonly id: string;
    readonly successor: Parameters<OperationStore["redrive"]>[1];
  }) => Promise<RedriveResult>;
  readonly readOutput: (request: {
    readonly requests: readonly OutputRequest[];
  }) => Promise<readonly (OutputSlice | undefined)[]>;
}

/**
 * Creates the answers of an object.
 *
 * @param onWork called when there may be something to do
 */
export function createOperatorCalls(
  { operations, output }: DurableObjectBackend,
  onWork: () => void,
): OperatorCalls {
  return {
    inspect: async (request) => (await operations.inspect?.(request)) ?? null,
    list: (request) => operations.list(request),
    requestCancel: async ({ id, tenant }) => {
      const outcome = await operations.requestCancel(id, tenant);
      onWork();
      return outcome;
    },
    redrive: async ({ id, successor }) => {
      const result = await operations.redrive(id, successor);
      onWork();
      return result;
    },
    readOutput: ({ requests }) => output.read(requests),
  };
}
