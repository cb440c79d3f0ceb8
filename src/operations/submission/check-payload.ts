import type { OperationDefinition } from "../../contract/definition/definition.js";
import { pathFields } from "../../contract/definition/path-pattern.js";
import { AsyncReplyError } from "../../contract/errors.js";
import { canonicalJson } from "../../contract/json/canonical-json.js";
import type { JsonText } from "../../contract/operation.js";
import { validate } from "../../contract/schema.js";
import { isObject } from "../../formats/json-schema.js";
import { treeText } from "../../formats/payload-tree.js";
import type { Runtime } from "../../ports/runtime.js";

/** A payload that was parsed. */
export interface Payload {
  readonly value: unknown;
  /** Untyped tree of the body, if its format needs the schema to parse it. */
  readonly tree?: unknown;
  /** Media type of the format of the tree. */
  readonly mediaType?: string | undefined;
}

/** A payload that was checked. */
export interface CheckedPayload {
  /** Canonical JSON of the parsed payload (RFC 8785). */
  readonly input: JsonText;
  /** Output of the input schema. */
  readonly output: unknown;
  readonly fingerprint: string;
}

/**
 * Validates a payload, and names it with its fingerprint. Returns a promise only if the validator or the hash does.
 *
 * Throws `CONTRACT_VIOLATION`, and `INTERNAL` if the schema drops a field of the path. A promise rejects with the same.
 */
export function checkPayload(
  definition: OperationDefinition,
  payload: Payload,
  hash: Runtime["hash"],
): CheckedPayload | Promise<CheckedPayload> {
  const validated = validate(definition.input, payload.value);
  return validated instanceof Promise
    ? validated.then((output) => checkOutput(definition, payload, output, hash))
    : checkOutput(definition, payload, validated, hash);
}

function checkOutput(
  definition: OperationDefinition,
  payload: Payload,
  output: unknown,
  hash: Runtime["hash"],
): CheckedPayload | Promise<CheckedPayload> {
  const keeping = checkKeptFields(definition, payload.value, output);
  return keeping === undefined
    ? name(definition, payload, output, hash)
    : keeping.then(() => name(definition, payload, output, hash));
}

function name(
  { rootName }: OperationDefinition,
  { value, tree, mediaType }: Payload,
  output: unknown,
  hash: Runtime["hash"],
): CheckedPayload | Promise<CheckedPayload> {
  const input = canonicalJson(value);
  const named =
    tree === undefined ? fingerprint(input, hash) : fingerprint(treeText(tree, rootName), hash, mediaType);
  return typeof named === "string"
    ? { input, output, fingerprint: named }
    : named.then((text) => ({ input, output, fingerprint: text }));
}

/** Definitions whose schemas keep the fields of their paths. */
const keepsFields = new WeakSet<OperationDefinition>();

/**
 * Checks with the first input of a definition that the schema does not drop a field of the path. Not every schema can be
 * described, so `defineOperation` might not have seen it. Returns a promise only if the output lacks a field.
 *
 * Throws `INTERNAL`. A promise rejects with the same.
 */
function checkKeptFields(
  definition: OperationDefinition,
  value: unknown,
  output: unknown,
): Promise<void> | undefined {
  if (keepsFields.has(definition)) return undefined;
  const absent = isObject(output) ? pathFields(definition.path).filter((field) => !(field in output)) : [];
  if (absent.length > 0) return checkAbsent(definition, value, absent);
  keepsFields.add(definition);
  return undefined;
}

async function checkAbsent(
  definition: OperationDefinition,
  value: unknown,
  absent: readonly string[],
): Promise<void> {
  const { name, path, input } = definition;
  for (const field of absent) {
    if (!isObject(value) || !Object.hasOwn(value, field)) return;
    // A schema that requires the field may return it under another name.
    const { [field]: _, ...others } = value;
    const { issues } = await input["~standard"].validate(others);
    if (issues !== undefined) continue;
    const detail =
      `The input schema of the definition "${name}" drops the field {${field}} of its path "${path}", so the processor ` +
      `would not get it. Add a required member \`${field}\` to the schema.`;
    throw new AsyncReplyError("INTERNAL", detail);
  }
  keepsFields.add(definition);
}

/**
 * Returns the fingerprint of a payload: a prefix and the SHA-256 of its canonical text. The prefix is `1:` for the
 * canonical JSON of the value (RFC 8785) and `1;<media type>:` for the tree of a document in that format. The number
 * is the version of the algorithm.
 *
 * @param text canonical text to hash
 * @param hash SHA-256 in base64url
 * @param format media type, if the text is a tree. Default: none; the text is the value.
 */
function fingerprint(text: string, hash: Runtime["hash"], format?: string): string | Promise<string> {
  const prefix = format === undefined ? "1:" : `1;${format}:`;
  const digest = hash(text);
  return typeof digest === "string" ? prefix + digest : digest.then((value) => prefix + value);
}

/** Returns the prefix of a fingerprint. Only fingerprints with the same prefix can show that two payloads differ. */
export function formOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(":"));
}
