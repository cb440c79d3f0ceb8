import { canonicalJson } from "../core/canonical-json.js";
import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import { fingerprint } from "../core/fingerprint.js";
import { parseIdempotencyKey } from "../core/idempotency-key.js";
import { toJsonText } from "../core/json-text.js";
import type { JsonText } from "../core/operation.js";
import { invalidOption } from "../core/options.js";
import { validate } from "../core/validate.js";
import { jsonFormat } from "../formats/json.js";
import { sharedTransactions } from "../ports/backend.js";
import type { Service, SubmitInTransactionOptions, SubmittedInTransaction } from "./context.js";
import { keyReused, toSubmission } from "./record-submission.js";

/** Records an operation within the caller's transaction: see {@link Service.submitInTransaction}. */
export async function submitInTransaction(
  service: Service,
  tx: unknown,
  name: string,
  input: unknown,
  { scope, key }: SubmitInTransactionOptions,
): Promise<SubmittedInTransaction> {
  const transactions = sharedTransactions(service.backend);
  const definition = service.operations.find((each) => each.name === name);
  if (definition === undefined || definition.create !== undefined)
    throw invalidOption("definition", "the name of one without `create`", name);
  if (typeof scope !== "string" || scope === "")
    throw invalidOption("scope", "text that is not empty", scope);
  const read = { key: readKey(key, definition), ...(await readInput(service, definition, input)) };
  const submission = toSubmission(service, definition, { id: scope, scope }, read);
  const recorded = await transactions.recordIn(tx, submission);
  if (recorded.outcome === "created")
    return { operationId: submission.operation.id, status: "pending", replayed: false };
  if (recorded.fingerprint !== submission.fingerprint) throw keyReused(service, submission);
  const { id, state } = recorded.operation;
  return { operationId: id, status: state === "preparing" ? "pending" : state, replayed: true };
}

/** The rules for keys are those for the header field. */
function readKey(key: string | undefined, definition: OperationDefinition): string | undefined {
  if (key !== undefined) return parseIdempotencyKey(`"${key.replace(/["\\]/g, "\\$&")}"`);
  if (definition.idempotencyKey === "optional") return undefined;
  throw new AsyncReplyError("MISSING_IDEMPOTENCY_KEY", "This definition requires a key.");
}

/** What a client that posts the same would have stored, with all its limits. */
async function readInput(
  { settings, runtime }: Service,
  { input: schema, rootName, jsonSchema }: OperationDefinition,
  given: unknown,
): Promise<{ readonly input: JsonText; readonly fingerprint: string; readonly output: unknown }> {
  const bytes = new TextEncoder().encode(toText(given, settings.maxBodyBytes));
  const value = jsonFormat.parse(bytes, { limits: settings, name: rootName, schema: jsonSchema });
  const output = await validate(schema, value);
  const input = canonicalJson(value);
  return { input, fingerprint: await fingerprint(input, runtime.hash), output };
}

function toText(given: unknown, maxBytes: number): JsonText {
  try {
    return toJsonText(given, maxBytes);
  } catch (cause) {
    throw new AsyncReplyError("MALFORMED_BODY", `The input is no JSON of at most ${maxBytes} bytes.`, {
      cause,
    });
  }
}
