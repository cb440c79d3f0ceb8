import type { OperationDefinition } from "../contract/definition/definition.js";
import type { AsyncReplyError } from "../contract/errors.js";
import { invalidOption, misuse, shown } from "../contract/options.js";
import { type Intent, isKey, newKey } from "./key-store.js";
import { type AnyOperation, toOperation } from "./operation.js";
import { type CallOptions, type ClientSettings, checkCall, checkDuration } from "./options.js";
import { type Answer, send } from "./send.js";

/** Options of `submit`. When its signal is aborted, the operation may exist nevertheless. */
export interface ClientSubmitOptions extends CallOptions {
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
  /**
   * Receiver of the webhook that announces the end of the operation (`Webhook-URL`). The service must permit it. Default:
   * the one that the service has.
   */
  readonly webhookUrl?: string;
}

/** Parts of a definition that a client uses. */
export type Target = Pick<OperationDefinition, "name" | "path">;

/** An operation that was accepted. */
export interface Submitted {
  /** Is undefined if the browser hides it. */
  readonly operationId: string | undefined;
  /** The operation, if the reply has its state and result. */
  readonly ended?: AnyOperation | undefined;
  /** The body of a 201. */
  readonly resource?: unknown;
}

/** Sends a submission until it is accepted. All tries have the same key. */
export async function submit(
  settings: ClientSettings,
  path: string,
  input: unknown,
  options: ClientSubmitOptions,
): Promise<Submitted> {
  const names = ["key", "waitMs", "webhookUrl"];
  const { key, waitMs = 0, webhookUrl, signal, headers } = checkCall("submit", options, names);
  if (waitMs !== 0) checkDuration("waitMs", waitMs);
  if (key !== undefined && !isKey(key)) throw invalidOption("key", "1 to 255 ASCII characters", key);
  if (webhookUrl !== undefined && !/^[!-~]+$/.test(webhookUrl))
    throw invalidOption("webhookUrl", "an address in ASCII, such as `new URL(address).href`", webhookUrl);
  const [target, value] = bind(path, input);
  const url = settings.baseUrl + target;
  const body = toJson(value);
  const name = `async-request-reply ${url} ${JSON.stringify(value, sortMembers)}`;
  let intent: Partial<Intent> | undefined = key === undefined ? undefined : { key };
  try {
    const reply = await send(
      { ...settings, callHeaders: headers },
      {
        method: "POST",
        url,
        headers: () => ({
          "content-type": "application/json",
          ...(waitMs && { prefer: `wait=${Math.ceil(waitMs / 1_000)}` }),
          ...(webhookUrl !== undefined && { "webhook-url": webhookUrl }),
        }),
        body,
        signal,
        onSend: async (fields) => {
          intent ??= (await settings.keyStore?.(name)) ?? { key: newKey() };
          // For printable ASCII, a JSON text is a string of structured fields (RFC 9651 §3.3.3).
          fields["idempotency-key"] = JSON.stringify(intent.key);
        },
        onFailure: () => {
          // A later refusal says nothing about this try, so the key is kept.
          if (intent) intent.isNew = false;
        },
      },
    );
    const submitted = toSubmitted(reply, url);
    await intent?.close?.();
    return submitted;
  } catch (error) {
    if (intent?.isNew && (error as Partial<AsyncReplyError> | undefined)?.code === "REQUEST_REFUSED")
      await intent.close?.();
    throw error;
  }
}

function toJson(value: unknown): string {
  let cause: unknown;
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text) return text;
  } catch (error) {
    cause = error;
  }
  throw misuse(`The input cannot be written as JSON: ${cause}.`);
}

/** Fills the path fields from the input. Returns the path, and the members that remain for the body. */
function bind(path: string, input: unknown): readonly [path: string, body: unknown] {
  let body = input;
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const { [field]: value, ...rest } = (body ?? {}) as Readonly<Record<string, unknown>>;
    body = rest;
    try {
      const text = Object(value) === value ? "" : encodeURIComponent((value ?? "") as string);
      // Browsers remove segments that are dots, even if they are encoded.
      if (!/^\.{0,2}$/.test(text)) return text;
    } catch {
      // Half of a surrogate pair has no encoding.
    }
    throw misuse(`Path field \`${field}\` is ${shown(value)}, which no path can contain.`);
  });
  return [filled, body];
}

/** Sorts members, so that equal values have equal texts. */
function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function toSubmitted({ status, body, headers }: Answer, url: string): Submitted {
  if (status === 201)
    return { resource: body, operationId: headers.get("operation-location")?.split("/").pop() };
  const operation = toOperation(body, url);
  // A 202 has no result, even if the operation has ended.
  return { operationId: operation.operationId, ended: status === 200 ? operation : undefined };
}
