import { defineOperation } from "async-request-reply";
import {
  createOperationsObject,
  type ObjectNamespace,
  type ObjectState,
} from "async-request-reply/durable-objects";
import * as z from "zod";

const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.object({ year: z.int().min(2000) }),
  result: z.object({ pages: z.int() }),
});

export const definitions = [reports] as const;

/** The bindings of wrangler.jsonc. */
export interface Env {
  readonly OPERATIONS: ObjectNamespace<unknown>;
  readonly DIRECTORY: ObjectNamespace<unknown>;
}

/** Keeps the operations of one tenant, and works on them. */
export class Operations {
  readonly #operations;

  constructor(state: ObjectState, { DIRECTORY }: Env) {
    this.#operations = createOperationsObject(state, {
      definitions,
      directory: DIRECTORY,
      processors: {
        reports: async ({ year }) => ({ pages: year - 1999 }), // Your work.
      },
    });
  }

  fetch(request: Request): Promise<Response> {
    return this.#operations.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#operations.alarm();
  }
}
