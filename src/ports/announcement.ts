import { AsyncReplyError } from "../contract/errors.js";
import { isOperationId } from "../contract/operation.js";

/** What a queue carries: "look at this operation". It holds nothing that the store does not know better. */
export interface Announcement {
  /** Of the message: what a later version adds must not be read as this one. */
  readonly version: 1;
  /** `<operationId>.<suffix>`, new for each announcement: brokers that drop repeated ids must not drop the second wake-up. */
  readonly id: string;
  /** The operation to look at. */
  readonly operationId: string;
  /** The name of its definition: by it workers choose what they receive. */
  readonly definition: string;
}

/** Makes a new announcement of an operation. */
export function announce(
  operation: { readonly id: string; readonly definition: string },
  suffix: string,
): Announcement {
  return {
    version: 1,
    id: `${operation.id}.${suffix}`,
    operationId: operation.id,
    definition: operation.definition,
  };
}

const MAX_NAME_LENGTH = 255;

/**
 * Reads an announcement that came from outside. Messages are input, whoever is thought to have written them: the
 * shape, the version and the lengths are checked, and members beyond these are not taken over.
 *
 * @throws AsyncReplyError `CORRUPT_RECORD`
 */
export function parseAnnouncement(message: unknown): Announcement {
  const { version, id, operationId, definition } = (message ?? {}) as Partial<
    Record<keyof Announcement, unknown>
  >;
  if (version !== 1 || !isName(id) || !isName(definition) || !isOperationId(operationId)) {
    throw new AsyncReplyError("CORRUPT_RECORD", "The message is not an announcement of version 1.");
  }
  return { version, id, operationId, definition };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}
