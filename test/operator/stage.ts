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

/** What the work of an operation comes to. `mend` fails until the stage is mended. */
const input = z.strictObject({
  outcome: z.enum(["complete", "refuse", "throw", "mend"]),
  note: z.string().optional(),
});
export const exportsOf = defineOperation({ name: "exports", path: "/exports", input, cancellable: true });
export const importsOf = defineOperation({ name: "imports", path: "/imports", input });

type Input = z.input<typeof input>;
type Names = "exports" | "imports";

/** A service with its worker, and an operator beside it. */
export interface OperatorStage {
  readonly backend: Backend;
  readonly operator: Operator<Names>;
  /** Everything that the operator's observer saw. */
  readonly events: readonly ServiceEvent[];
  /** Submits work and returns the id of its operation. */
  submit(outcome: Input["outcome"], options?: SubmitOptions): Promise<string>;
  /** The same, and works it off. */
  end(outcome: Input["outcome"], options?: SubmitOptions): Promise<string>;
  /** Works off what is due. */
  work(): Promise<void>;
  /** From here on `mend` completes. */
  mend(): void;
  /** Another operator on the same back end, as of another process. */
  other(options?: Partial<Parameters<typeof createOperator>[0]>): Operator<Names>;
}

interface SubmitOptions {
  readonly tenant?: string;
  readonly definition?: typeof exportsOf | typeof importsOf;
  readonly note?: string;
  readonly key?: string;
}

/** Puts a service, a worker and an operator on a back end. */
export function createOperatorStage(backend: Backend): OperatorStage {
  const definitions = [exportsOf, importsOf] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const events: ServiceEvent[] = [];
  let mended = false;
  const run = ({ outcome, note }: Input): { note: string } => {
    if (outcome === "refuse") throw permanentFailure("It cannot be done.");
    if (outcome === "throw" || (outcome === "mend" && !mended)) throw new TypeError("broken");
    return { note: note ?? "none" };
  };
  const worker = createWorker(service, { exports: run, imports: run }, { maxAttempts: 1 });
  const other: OperatorStage["other"] = (options = {}) =>
    createOperator({ backend, definitions, observe: false, ...options }) as Operator<Names>;
  const submit: OperatorStage["submit"] = async (outcome, options = {}) => {
    const { tenant = "a", definition = exportsOf, note, key } = options;
    const given = { outcome, ...(note === undefined ? {} : { note }) };
    const { operationId } = await service.submit(definition, given, {
      tenant,
      ...(key === undefined ? {} : { key }),
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

/** The ids of a page or of several. */
export function idsOf(operations: readonly OperationSummary[]): string[] {
  return operations.map(({ operationId }) => operationId);
}

/** What `call` answers to an id, or fails: what must be there is there. */
export async function existing<T>(call: Promise<T | undefined>): Promise<T> {
  const found = await call;
  if (found === undefined) throw new Error("the operation is not there");
  return found;
}
