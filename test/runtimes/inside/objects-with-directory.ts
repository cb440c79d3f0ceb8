import { defineOperation, permanentFailure } from "async-request-reply";
import { createConsole } from "async-request-reply/console";
import {
  type AlarmStorage,
  createDirectoryObject,
  createObjectsOperator,
  createOperationsObject,
  type ObjectNamespace,
  type ObjectRows,
  type ObjectState,
  type ObjectStorage,
  routeToTenant,
} from "async-request-reply/durable-objects";
import { toFetchHandler } from "async-request-reply/fetch";
import * as z from "zod";

const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.strictObject({ name: z.string(), fails: z.boolean().optional(), takesMs: z.int().optional() }),
  result: z.strictObject({ name: z.string() }),
  cancellable: true,
});
const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input: z.strictObject({ words: z.array(z.string()) }),
  chunk: z.string(),
});
const passing = defineOperation({
  name: "passing",
  path: "/passing",
  input: z.strictObject({}),
  retentionMs: 1_000,
});
const computed = defineOperation({
  name: "computed",
  path: "/computed",
  input: z.strictObject({ number: z.int() }),
  result: z.strictObject({ square: z.int() }),
});
const definitions = [reports, answers, passing, computed] as const;

/** A Worker without state that computes. */
interface Computer {
  square(number: number): Promise<number>;
}

interface Env {
  readonly COMPUTER: Computer;
  readonly OBJECTS: ObjectNamespace<unknown>;
  readonly OLD_OBJECTS: ObjectNamespace<unknown>;
  readonly DIRECTORY: ObjectNamespace<unknown>;
}

/** Whether failing reports fail. Shared by the objects of the process. */
let isBroken = true;

function createOperations(
  state: ObjectState,
  { COMPUTER, DIRECTORY: directory }: Pick<Env, "COMPUTER"> & Partial<Env>,
) {
  return createOperationsObject(state, {
    definitions,
    processors: {
      reports: async ({ name, fails = false, takesMs = 0 }, { signal }) => {
        if (fails && isBroken) throw permanentFailure(`Report ${name} is broken.`);
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
          setTimeout(resolve, takesMs);
        });
        signal.throwIfAborted();
        return { name };
      },
      answers: async ({ words }, { write }) => {
        for (const word of words) await write(word);
      },
      passing: () => undefined,
      computed: async ({ number }) => ({ square: await COMPUTER.square(number) }),
    },
    service: { list: true, observe: false },
    worker: { leaseMs: 3_000 },
    ...(directory && { directory }),
  });
}

/** Keeps the operations of one tenant, or a share of them. */
export class TestObject {
  readonly #operations;

  constructor(state: ObjectState, env: Env) {
    this.#operations = createOperations(state, env);
  }

  fetch(request: Request): Promise<Response> {
    return this.#operations.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#operations.alarm();
  }
}

/** An object of a version that knew no directory, and so no calls. */
export class OldObject {
  readonly #operations;

  constructor(state: ObjectState, { COMPUTER }: Env) {
    this.#operations = createOperations(state, { COMPUTER });
  }

  fetch(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.delete("async-request-reply-call");
    return this.#operations.fetch(new Request(request, { headers }));
  }

  alarm(): Promise<void> {
    return this.#operations.alarm();
  }
}

/** The directory. Requests to paths below `/test` lose everything that it knows, or count the rows that it has written. */
export class TestDirectory {
  readonly #storage: AlarmStorage;
  readonly #written: { readonly rowsWritten: number }[] = [];
  #directory;

  constructor({ storage }: ObjectState) {
    this.#storage = storage;
    this.#directory = this.#create();
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/rows")
      return Response.json(this.#written.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0));
    if (pathname !== "/test/lose") return this.#directory.fetch(request);
    await this.#storage.deleteAll();
    this.#directory = this.#create();
    return new Response();
  }

  #create() {
    const storage: ObjectStorage = {
      sql: {
        exec: (query, ...parameters) => {
          const cursor = this.#storage.sql.exec(query, ...parameters) as CountingRows;
          this.#written.push(cursor);
          return cursor;
        },
      },
      transactionSync: (steps) => this.#storage.transactionSync(steps),
    };
    return createDirectoryObject({ storage });
  }
}

/** The rows of a statement, as workerd counts them. */
interface CountingRows extends ObjectRows {
  readonly rowsWritten: number;
}

/** Tenants have as many objects as the number in their name says. */
function shardsOf(tenant: string): number {
  return Number(/^sharded-(\d+)-/.exec(tenant)?.[1] ?? 1);
}

const common = {
  definitions,
  authorize: ({ header }: { header(name: string): string | undefined }) => {
    const tenant = header("x-tenant");
    return tenant === undefined ? undefined : { id: "caller", tenant: decodeURIComponent(tenant) };
  },
  list: true,
  observe: false,
} as const;
const route = routeToTenant({
  ...common,
  objects: ({ OBJECTS }: Env) => OBJECTS,
  shards: shardsOf,
});
const routeToOld = routeToTenant({ ...common, objects: ({ OLD_OBJECTS }: Env) => OLD_OBJECTS });
/** A Worker with another number of objects. */
const routeToMore = routeToTenant({
  ...common,
  objects: ({ OBJECTS }: Env) => OBJECTS,
  shards: (tenant) => shardsOf(tenant) + 1,
});

/** Calls a method of the operator with the arguments in the body. */
async function operate(request: Request, { OBJECTS, OLD_OBJECTS, DIRECTORY }: Env): Promise<Response> {
  const { method, parameters, old } = (await request.json()) as Operated;
  const objects = old ? OLD_OBJECTS : OBJECTS;
  const operator = createObjectsOperator({ objects, directory: DIRECTORY, definitions, observe: false });
  try {
    const run = operator[method] as (...given: readonly unknown[]) => Promise<unknown>;
    return Response.json((await run(...parameters)) ?? null);
  } catch (error) {
    return Response.json({ error: String(error) }, { status: 500 });
  }
}

interface Operated {
  readonly method: Exclude<keyof ReturnType<typeof createObjectsOperator>, "definitions">;
  readonly parameters: readonly unknown[];
  readonly old?: boolean;
}

function openConsole(request: Request, { OBJECTS, DIRECTORY }: Env): Promise<Response> {
  const operator = createObjectsOperator({ objects: OBJECTS, directory: DIRECTORY, definitions });
  const console = createConsole({ operator, authorize: () => ({ id: "ops", access: "operate" }) });
  return toFetchHandler(console)(request);
}

export default {
  fetch: async (request: Request, env: Env): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/operate") return operate(request, env);
    if (pathname === "/test/mend") {
      isBroken = false;
      return new Response();
    }
    if (pathname.startsWith("/console")) return openConsole(request, env);
    const { DIRECTORY } = env;
    if (pathname.startsWith("/test/")) return DIRECTORY.get(DIRECTORY.idFromName("directory")).fetch(request);
    if (request.headers.has("x-old")) return routeToOld(request, env);
    if (request.headers.has("x-more")) return routeToMore(request, env);
    return route(request, env);
  },
};
