import type { OperationDefinition } from "../../contract/definition/definition.js";
import { canonicalJson } from "../../contract/json/canonical-json.js";
import type { JsonText } from "../../contract/operation.js";
import { validate } from "../../contract/schema.js";
import { treeText } from "../../formats/payload-tree.js";
import type { Runtime } from "../../ports/runtime.js";
import { checkKeptFields } from "./check-kept-fields.js";
import { fingerprint } from "./fingerprint.js";

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
