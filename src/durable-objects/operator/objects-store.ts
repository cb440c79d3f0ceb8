import type { OperatedBackend } from "../../operator/context.js";
import type { NewestObject } from "../directory/calls.js";
import { callDirectory } from "../directory/directory-object.js";
import type { Caller } from "../object-calls.js";
import { objectNumberOf } from "../object-number.js";
import type { ObjectNamespace } from "../platform.js";
import type { OperatorCalls } from "./calls.js";
import { callObject, listObjects, toListed } from "./list-objects.js";
import { type Listed, mergeLists } from "./merge-lists.js";

/** The bindings of the classes with the objects and with their directory. */
export interface ObjectBindings {
  /** Binding of the class that calls `createOperationsObject`. */
  readonly objects: ObjectNamespace<unknown>;
  /** Binding of the class that calls `createDirectoryObject`. */
  readonly directory: ObjectNamespace<unknown>;
}

/** Objects that the directory names at once. */
const NEWEST_PAGE = 100;

/** Creates the back end of an operator over all objects. The directory finds the object of each call. */
export function createObjectsStore({ objects, directory: binding }: ObjectBindings): OperatedBackend {
  const directory = callDirectory(binding);

  /** Asks the objects that can have an operation. Returns the first answer that is not `nothing`. */
  async function askOwner<Answer, Nothing>(
    id: string,
    ask: (call: Caller<OperatorCalls>) => Promise<Answer>,
    isNothing: (answer: Answer) => boolean,
    nothing: Nothing,
  ): Promise<Answer | Nothing> {
    for (const name of await directory("numbered", { number: objectNumberOf(id) })) {
      const answer = await ask(callObject(objects, name));
      if (!isNothing(answer)) return answer;
    }
    return nothing;
  }

  async function* newestObjects(failed: boolean): AsyncIterable<Listed> {
    // An object whose newest operation is deleted in the meantime comes again.
    const known = new Set<string>();
    for (let after: NewestObject | undefined; ; ) {
      const page = await directory("newest", { failed, limit: NEWEST_PAGE, ...(after && { after }) });
      for (const found of page) {
        if (!known.has(found.name)) yield toListed(objects, found);
        known.add(found.name);
      }
      after = page.at(-1);
      if (page.length < NEWEST_PAGE) return;
    }
  }

  return {
    operations: {
      list: async (request) => {
        const { tenant, state } = request;
        if (tenant === undefined) return mergeLists(newestObjects(state === "failed"), request);
        return listObjects(objects, await directory("ofTenant", { tenant }), request);
      },
      requestCancel: (id, tenant) =>
        askOwner(
          id,
          (call) => call("requestCancel", { id, tenant }),
          (outcome) => outcome === "unknown",
          "unknown",
        ),
      redrive: (id, successor) =>
        askOwner(
          id,
          (call) => call("redrive", { id, successor }),
          ({ outcome }) => outcome === "unknown",
          { outcome: "unknown" },
        ),
      stats: (request) => directory("stats", request),
      pause: (definition, by) => directory("pause", { definition, ...(by !== undefined && { by }) }),
      resume: (definition) => directory("resume", { definition }),
    },
    inspect: (request) =>
      askOwner(
        request.id,
        async (call) => (await call("inspect", request)) ?? undefined,
        (found) => found === undefined,
        undefined,
      ),
    output: {
      read: (requests) =>
        Promise.all(
          requests.map((request) =>
            askOwner(
              request.id,
              async (call) => (await call("readOutput", { requests: [request] }))[0] ?? undefined,
              (slice) => slice === undefined,
              undefined,
            ),
          ),
        ),
    },
    actions: {
      record: (action) => directory("recordAction", action),
      list: (request) => directory("actions", request),
    },
    // Objects ring for themselves.
    queue: { publish: async () => {} },
  };
}
