import { invalidOption, isObject, misuse } from "../contract/options.js";
import type { Backend, SeparateStores } from "../ports/backend.js";
import type { SeparateOperationStore } from "../ports/separate-operation-store.js";

/** Methods that every part has. */
const METHODS = {
  operations: [
    ...(["create", "get", "claim", "renew", "settle", "requestCancel", "endOverdue"] as const),
    ...(["getMany", "list", "stats", "countPending", "redrive", "pause", "resume"] as const),
  ],
  submissions: ["record", "recordMany", "findKey", "purge"],
  output: ["begun", "append", "read", "watch", "clean"],
  minutes: ["write", "fold", "read"],
  actions: ["record", "list", "purge"],
  idempotency: ["bind", "find", "release", "takeStale"],
  queue: ["publish", "listen", "close"],
} as const satisfies Parts;

/** Methods of a store of operations, if another store keeps the keys. */
const SEPARATE = ["takeExpired", "remove"] as const satisfies readonly (keyof SeparateOperationStore)[];

type Ports = Required<Omit<Backend & SeparateStores, "check" | "close">>;
type Parts = { readonly [Part in keyof Ports]: readonly (keyof Ports[Part])[] };

/**
 * Checks that a value is a back end, and that its parts have the methods that every part has.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkBackend(backend: unknown): void {
  const given = partsOf(backend);
  if (given.submissions === undefined && given.idempotency !== undefined)
    throw misuse(
      "The back end has no `submissions`. Pass `composeStores({ operations, idempotency, queue })`.",
    );
  if (given.submissions === undefined) throw notABackend(backend);
  if (given.idempotency !== undefined)
    throw misuse(
      "The back end has both `submissions` and `idempotency`. Leave out `submissions` to use two stores that share no transaction, " +
        "or `idempotency` if they do.",
    );
  checkParts(given, backend);
}

/**
 * Checks that a value is two stores that share no transaction, and a queue.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkSeparateStores(stores: unknown): void {
  const given = partsOf(stores);
  if (given.idempotency === undefined) throw notABackend(stores);
  checkParts(given, stores);
  checkMethods("operations", given.operations, SEPARATE);
}

function partsOf(value: unknown): Readonly<Partial<Record<keyof Parts, unknown>>> {
  return isObject(value) ? value : {};
}

function checkParts(given: ReturnType<typeof partsOf>, value: unknown): void {
  const { operations, queue } = given;
  if (!isObject(operations) || !isObject(queue)) throw notABackend(value);
  for (const [part, methods] of Object.entries(METHODS)) {
    const port = given[part as keyof Parts];
    if (port !== undefined) checkMethods(part, port, methods);
  }
  if (Array.isArray(Reflect.get(operations, "keeps"))) return;
  throw misuse(
    'The member `operations` of the back end has no list `keeps`. Say what it keeps, such as `keeps: ["limits"]`, or `keeps: []`.',
  );
}

function checkMethods(part: string, port: unknown, methods: readonly string[]): void {
  const given = isObject(port) ? port : {};
  const missing = methods.find((name) => typeof Reflect.get(given, name) !== "function");
  if (missing === undefined) return;
  throw misuse(
    `The member \`${part}\` of the back end has no method \`${missing}\`. Add it: docs/writing-a-back-end.md says what it does.`,
  );
}

function notABackend(value: unknown): Error {
  const expected = "a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`";
  return invalidOption("backend", expected, value);
}
