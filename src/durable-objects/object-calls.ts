import { AsyncReplyError } from "../contract/errors.js";
import type { ObjectNamespace, ObjectStub } from "./platform.js";

/** Functions that an object offers to others, by name. Each takes one request, so members can be added. */
export type Calls<Table> = {
  readonly [Name in keyof Table]: (request: never) => Promise<unknown>;
};

/** Calls a function of an object. Throws `STORE_UNAVAILABLE`. */
export type Caller<Table extends Calls<Table>> = <Name extends keyof Table & string>(
  name: Name,
  request: Parameters<Table[Name]>[0],
) => ReturnType<Table[Name]>;

/** Header field with the name of the called function. Only Workers reach objects, and they remove what a client sends. */
export const CALL = "async-request-reply-call";

/** Creates the function that answers calls of others. */
export function answering<Table extends Calls<Table>>(table: Table): (call: Request) => Promise<Response> {
  const functions = new Map(Object.entries<(request: never) => Promise<unknown>>(table));
  return async (call) => {
    const run = functions.get(call.headers.get(CALL) ?? "");
    if (run === undefined) return new Response(undefined, { status: 404 });
    const value = await run((await call.json()) as never);
    return new Response(JSON.stringify({ value }));
  };
}

/** Returns the object of a class with this name. */
export function objectNamed<Id>(objects: ObjectNamespace<Id>, name: string): ObjectStub {
  return objects.get(objects.idFromName(name));
}

/** Creates the calls to one object. */
export function callerOf<Table extends Calls<Table>>(stub: ObjectStub): Caller<Table> {
  const call = async (name: string, request: unknown): Promise<unknown> => {
    const sent = { method: "POST", headers: { [CALL]: name }, body: JSON.stringify(request) };
    let reply: Response;
    let text: string;
    try {
      reply = await stub.fetch(new Request("https://object.invalid/", sent));
      text = await reply.text();
    } catch (cause) {
      throw unavailable("An object could not be reached.", cause);
    }
    if (!reply.ok)
      throw unavailable(
        `An object of an older version has no call "${name}" yet: it answered ${reply.status}.`,
      );
    return (JSON.parse(text) as { readonly value?: unknown }).value;
  };
  return call as Caller<Table>;
}

function unavailable(detail: string, cause?: unknown): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", detail, { cause, retryAfterSeconds: 1 });
}
