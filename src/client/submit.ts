import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { misuse, shown } from "../contract/options.js";
import { type Intents, newKey } from "./key-store.js";
import { type AnyOperation, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { type Reply, send } from "./send.js";

/** Options of `submit`. */
export interface ClientSubmitOptions {
  /**
   * Idempotency key, such as the id of your shopping cart: submissions with the same key and input are the same
   * operation. Default: random, or the one in the `keyStore`.
   */
  readonly key?: string;
  /**
   * How long the service should wait for the end of the work before it replies. Saves a request if the work is short.
   * Milliseconds. Default: 0.
   */
  readonly waitMs?: number;
  /** Gives up when it is aborted. The operation may exist nevertheless. */
  readonly signal?: AbortSignal;
}

/** Parts of a definition that a client uses. */
export type Target = Pick<OperationDefinition, "name" | "path">;

/** An operation that was accepted. */
export interface Submitted {
  /** Returns the id. Throws `NOT_SUPPORTED` if the browser hides it. */
  readonly operationId: () => string;
  /** The operation, if the service waited for its end. */
  readonly operation?: AnyOperation | undefined;
  /** The body of a 201. */
  readonly resource?: unknown;
}

/** Sends a submission until it is accepted. All tries have the same key. */
export async function submit(
  settings: ClientSettings,
  intents: Intents | undefined,
  { path }: Target,
  input: unknown,
  { key, waitMs = 0, signal }: ClientSubmitOptions,
): Promise<Submitted> {
  const [target, value] = bind(path, input);
  const url = settings.baseUrl + target;
  const store = key === undefined ? intents : undefined;
  const name = `async-request-reply ${url} ${JSON.stringify(value, sortMembers)}`;
  const intent = await store?.open(name);
  const known = intent?.key ?? key ?? newKey();
  // A refusal says nothing about earlier tries without an answer, so their key is kept.
  let isSettled = intent?.isNew === true;
  try {
    const reply = await send(settings, {
      method: "POST",
      url,
      headers: () => ({
        "content-type": "application/json",
        "idempotency-key": `"${known.replace(/["\\]/g, "\\$&")}"`,
        ...(waitMs > 0 ? { prefer: `wait=${Math.ceil(waitMs / 1_000)}` } : {}),
      }),
      body: JSON.stringify(value),
      signal,
      waitMs: () => waitMs,
      onFailure: () => {
        isSettled = false;
      },
    });
    const submitted = toSubmitted(reply, url);
    isSettled = true;
    return submitted;
  } catch (error) {
    isSettled &&= isAsyncReplyError(error) && error.code === "REQUEST_REFUSED";
    throw error;
  } finally {
    if (isSettled && intent !== undefined) await store?.close(name, intent);
  }
}

/** Fills the path fields from the input. Returns the path, and the members that remain for the body. */
function bind(path: string, input: unknown): readonly [path: string, body: unknown] {
  let body = input;
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const { [field]: value, ...rest } = body as Readonly<Record<string, unknown>>;
    body = rest;
    const text = String(value ?? "");
    // Browsers remove segments that are dots, even if they are encoded.
    if (/^\.{0,2}$/.test(text))
      throw misuse(`Path field \`${field}\` is ${shown(value)}, which no path can contain. Pass other text.`);
    return encodeURIComponent(text);
  });
  return [filled, body];
}

/** Sorts members, so that equal values have equal texts. */
function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function toSubmitted({ status, body, header }: Reply, url: string): Submitted {
  if (status === 201) {
    const id = header("operation-location")?.split("/").pop();
    return { resource: body, operationId: () => id ?? hidden() };
  }
  const operation = toOperation(body, url);
  // A 202 has no result, even if the operation has ended.
  return { operationId: () => operation.operationId, operation: status === 200 ? operation : undefined };
}

function hidden(): never {
  throw new AsyncReplyError(
    "NOT_SUPPORTED",
    "The browser hides the id of the operation. Send `Access-Control-Expose-Headers: Operation-Location`.",
  );
}
