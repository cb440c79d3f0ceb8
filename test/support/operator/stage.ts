import {
  type Backend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
  type RunSummary,
  type ServiceEvent,
} from "async-request-reply";
import { createOperator, type OperationSummary, type Operator } from "async-request-reply/operator";
import * as z from "zod";

/** Outcome of the work of an operation. `mend` fails until the stage is mended. The error of `quote` quotes the note. */
const input = z.strictObject({
  outcome: z.enum(["complete", "refuse", "throw", "quote", "mend"]),
  note: z.string().optional(),
});
export const exportsOf = defineOperation({ name: "exports", path: "/exports", input, cancellable: true });
export const importsOf = defineOperation({ name: "imports", path: "/imports", input });

type Input = z.input<typeof input>;
type Names = "exports" | "imports";

/** A service with its worker, and an operator next to it. */
export interface OperatorStage {
  readonly backend: Backend;
  readonly operator: Operator<Names>;
  /** Events of the operator. */
  readonly events: readonly ServiceEvent[];
  /** Submits work and returns the id of its operation. */
  submit(outcome: Input["outcome"], options?: SubmitOptions): Promise<string>;
  /** Submits work, runs it and returns the id of its operation. */
  end(outcome: Input["outcome"], options?: SubmitOptions): Promise<string>;
  /** Runs the worker until no work is due. */
  work(): Promise<RunSummary>;
  /** Lets `mend` complete from now on. */
  mend(): void;
  /** Creates another operator on the same back end, like another process. */
  other(options?: Partial<Parameters<typeof createOperator>[0]>): Operator<Names>;
}

interface SubmitOptions {
  readonly tenant?: string;
  readonly principal?: string;
  readonly definition?: typeof exportsOf | typeof importsOf;
  readonly note?: string;
  readonly key?: string;
  readonly urgency?: number;
}

/** Creates a service, a worker and an operator on a back end. */
export function createOperatorStage(backend: Backend): OperatorStage {
  const definitions = [exportsOf, importsOf] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const events: ServiceEvent[] = [];
  let mended = false;
  const run = ({ outcome, note }: Input): { note: string } => {
    if (outcome === "refuse") throw permanentFailure("It cannot be done.");
    if (outcome === "quote") throw new RangeError(note);
    if (outcome === "throw" || (outcome === "mend" && !mended)) throw new TypeError("broken");
    return { note: note ?? "none" };
  };
  const worker = createWorker(service, { exports: run, imports: run }, { maxAttempts: 1 });
  const other: OperatorStage["other"] = (options = {}) =>
    createOperator({ backend, definitions, observe: false, ...options }) as Operator<Names>;
  const submit: OperatorStage["submit"] = async (outcome, options = {}) => {
    const { tenant = "a", principal, definition = exportsOf, note, key, urgency } = options;
    const given = { outcome, ...(note === undefined ? {} : { note }) };
    const { operationId } = await service.submit(definition, given, {
      tenant,
      ...(principal === undefined ? {} : { principal }),
      ...(key === undefined ? {} : { key }),
      ...(urgency === undefined ? {} : { urgency }),
    });
    return operationId;
  };
  return {
    backend,
    operator: other({ observe: (event) => events.push(event) }),
    events,
    submit,
    end: async (outcome, options) => {
      const id = await submit(outcome, options);
      await worker.runUntilIdle();
      return id;
    },
    work: () => worker.runUntilIdle(),
    mend: () => {
      mended = true;
    },
    other,
  };
}

/** Returns the ids of one or several pages. */
export function idsOf(operations: readonly OperationSummary[]): string[] {
  return operations.map(({ operationId }) => operationId);
}

/** Redrives an operation, which must be possible, and returns the id of the new one. */
export async function redriven(operator: Operator, failed: string): Promise<string> {
  const { outcome, operation } = await operator.redrive(failed);
  if (operation === undefined) throw new Error(`The outcome of the redrive is ${outcome}.`);
  return operation.operationId;
}

/** Returns the result of a call, which must not be undefined. */
export async function existing<T>(call: Promise<T | undefined>): Promise<T> {
  const found = await call;
  if (found === undefined) throw new Error("The operation does not exist.");
  return found;
}
