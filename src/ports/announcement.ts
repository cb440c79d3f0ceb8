import { AsyncReplyError } from "../contract/errors.js";
import { isOperationId, type JsonText } from "../contract/operation.js";

/** A message in a queue. It only says "look at this operation": the store holds the truth. */
export interface Announcement {
  /** Version of the message format. A message of any other version must not be read as this one. */
  readonly version: 1;
  /**
   * `<operationId>.<suffix>`, new for each announcement, so that brokers that drop repeated ids keep the second
   * wake-up.
   */
  readonly id: string;
  /** Id of the operation to look at. */
  readonly operationId: string;
  /** Name of its definition. Workers choose by this name which announcements they receive. */
  readonly definition: string;
  /**
   * JSON that tracing stored with the operation. A broker may send its trace context in header fields. Absent if the
   * publisher knows only the id of the operation, and in deliveries.
   */
  readonly meta?: JsonText | undefined;
}

/** An operation to announce. */
export interface Announced {
  /** Id of the operation. */
  readonly id: string;
  /** Name of its definition. */
  readonly definition: string;
  /** JSON that tracing stored with it. Absent if only the id is known. */
  readonly meta?: JsonText | undefined;
}

/** Creates an announcement of an operation. */
export function announce({ id, definition, meta }: Announced, suffix: string): Announcement {
  const announcement: Announcement = { version: 1, id: `${id}.${suffix}`, operationId: id, definition };
  return meta === undefined ? announcement : { ...announcement, meta };
}

const MAX_NAME_LENGTH = 255;
const NOT_AN_ANNOUNCEMENT =
  "The message is not an announcement: expected `{ version: 1, id, operationId, definition }`. Check that no other " +
  "program publishes to this queue.";

/**
 * Parses an announcement that came from outside. Messages are untrusted input, even from a trusted broker: this checks
 * the shape, the version and the lengths, and drops all other members.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function parseAnnouncement(message: unknown): Announcement {
  const { version, id, operationId, definition } = (message ?? {}) as Partial<
    Record<keyof Announcement, unknown>
  >;
  if (version !== 1 || !isName(id) || !isName(definition) || !isOperationId(operationId)) {
    throw new AsyncReplyError("CORRUPT_RECORD", NOT_AN_ANNOUNCEMENT);
  }
  return { version, id, operationId, definition };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}
