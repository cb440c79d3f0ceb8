import { AsyncReplyError } from "../contract/errors.js";
import { isOperationId, type JsonText } from "../contract/operation.js";

/** Says that work of a definition may be able to begin. It promises nothing: the store decides what begins. */
export interface Ring {
  /** Name of the definition. Workers hear only rings of definitions of which they have free slots. */
  readonly definition: string;
  /** Id of the operation that gave rise to it. Workers claim everything that is due. Absent if there is no such operation. */
  readonly operationId?: string | undefined;
  /** JSON that tracing stored with the operation. A broker may send its trace context in header fields. */
  readonly meta?: JsonText | undefined;
}

const MAX_NAME_LENGTH = 255;
const NOT_A_RING =
  "The message is not a ring: expected `{ version: 1, definition, operationId }`. Check that no other program publishes " +
  "to this queue.";

/** Returns the text of a message that carries a ring. */
export function toRingMessage({ definition, operationId }: Ring): string {
  return JSON.stringify({ version: 1, definition, operationId });
}

/**
 * Parses a message that carries a ring. Messages are untrusted input, even from a trusted broker: this checks the shape, the
 * version and the lengths, and drops all other members.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function parseRingMessage(text: string): Ring {
  const { version, definition, operationId } = (parsed(text) ?? {}) as Readonly<Record<string, unknown>>;
  const isKnown = version === 1 && isName(definition);
  if (isKnown && operationId === undefined) return { definition };
  if (isKnown && isOperationId(operationId)) return { definition, operationId };
  throw new AsyncReplyError("CORRUPT_RECORD", NOT_A_RING);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of the parser quotes the text, which might belong to another program.
    return undefined;
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}
