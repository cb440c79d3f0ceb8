import { misuse } from "../../contract/options.js";

/**
 * Returns the name of a definition in characters that every broker allows: letters, digits and `-`. The other
 * characters of names, `.` and `_`, become `_2e` and `_5f`, so different names stay different.
 */
export function toSafeName(definition: string): string {
  return definition.replace(/[^A-Za-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`);
}

/** Longest name that RabbitMQ and NATS allow. Bytes; the characters of names have one each. */
const MAX_NAME_BYTES = 255;

/** Broker that limits the length of names, and the option that the names begin with. */
export interface NameLimit {
  readonly broker: string;
  readonly option?: string;
}

/**
 * Returns the name that a definition has at a broker: a start and its safe name.
 *
 * Throws `INVALID_OPTION` if the name is too long.
 */
export function toQueueName(start: string, definition: string, { broker, option }: NameLimit): string {
  const name = `${start}${toSafeName(definition)}`;
  if (name.length <= MAX_NAME_BYTES) return name;
  const shorter = option === undefined ? "" : ` or a shorter \`${option}\``;
  throw misuse(
    `The definition "${definition}" needs a name of ${name.length} bytes at ${broker}, which allows ${MAX_NAME_BYTES}. ` +
      `Use a shorter name with fewer \`.\` and \`_\`, which take 3 bytes each${shorter}.`,
  );
}
