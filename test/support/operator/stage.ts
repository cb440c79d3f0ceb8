import {
  type Backend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
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
export type OperatorStage = ReturnType<typeof createOperatorStage>;

interface SubmitOptions {
  readonly tenant?: string;
  readonly principal?: string;
  readonly definition?: typeof exportsOf | typeof importsOf;
  readonly note?: string;
  readonly key?: string;
  readonly urgency?: number;
}

/** Creates a service, a worker and an operator on a back end. */
export function createOperatorStage(backend: Backend) {
  const definitions = [exportsOf, importsOf] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const events: ServiceEvent[] = [];
  let mended = false;
  const run = ({ outcome, note }: Input) => {
    if (outcome === "refuse") throw permanentFailure("It cannot be done.");
    if (outcome === "quote") throw new RangeError(note);
    if (outcome === "throw" || (outcome === "mend" && !mended)) throw new TypeError("broken");
    return { note: note ?? "none" };
  };
  const worker = createWorker(service, { exports: run, imports: run }, { maxAttempts: 1 });
  const other = (options: Partial<Parameters<typeof createOperator>[0]> = {}) =>
    createOperator({ backend, definitions, observe: false, ...options }) as Operator<Names>;
  const submit = async (outcome: Input["outcome"], given: SubmitOptions = {}) => {
    const { definition = exportsOf, note, ...options } = given;
    const work = { outcome, ...(note === undefined ? {} : { note }) };
    return (await service.submit(definition, work, { tenant: "a", ...options })).operationId;
  };
  return {
    backend,
    operator: other({ observe: (event) => events.push(event) }),
    /** Events of the operator. */
    events,
    /** Submits work and returns the id of its operation. */
    submit,
    /** Submits work, runs it and returns the id of its operation. */
    end: async (outcome: Input["outcome"], options?: SubmitOptions) => {
      const id = await submit(outcome, options);
      await worker.runUntilIdle();
      return id;
    },
    /** Runs the worker until no work is due. */
    work: () => worker.runUntilIdle(),
    /** Lets `mend` complete from now on. */
    mend: () => {
      mended = true;
    },
    /** Creates another operator on the same back end, like another process. */
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
