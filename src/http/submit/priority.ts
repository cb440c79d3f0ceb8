import { isUrgency, type UrgencyRange } from "../../contract/definition/urgency.js";
import { blanksEnd, memberEnd, nameEnd } from "../../contract/structured-field.js";

/**
 * Returns the urgency that a request chooses with `u` of its `Priority` field. An urgency outside of the range becomes the
 * nearest one inside. Returns undefined if the field names no urgency from 0 to 7, or is not a dictionary, because it is a
 * hint and refuses no request (RFC 9218 §4 and §5). Runs in linear time.
 */
export function chosenUrgency(priority: string, { from, to }: UrgencyRange): number | undefined {
  const urgency = readUrgency(priority);
  return urgency === undefined ? undefined : Math.min(Math.max(urgency, from), to);
}

/** Reads a dictionary (RFC 8941 §4.2.2). The last of several members with one name counts. */
function readUrgency(text: string): number | undefined {
  let urgency: number | undefined;
  for (let at = blanksEnd(text, 0); at < text.length; ) {
    const name = nameEnd(text, at);
    const end = name === -1 ? -1 : memberEnd(text, name);
    if (end === -1) return undefined;
    if (text.slice(at, name) === "u") urgency = toUrgency(text.slice(name, end));
    const comma = blanksEnd(text, end);
    if (comma === text.length) return urgency;
    at = blanksEnd(text, comma + 1);
    if (text[comma] !== "," || at === text.length) return undefined;
  }
  return urgency;
}

/** Reads the value of the member, such as `=3`, and ignores its parameters. */
function toUrgency(value: string): number | undefined {
  const urgency = Number(/^=(-?\d+)(;|$)/.exec(value)?.[1]);
  return isUrgency(urgency) ? urgency : undefined;
}
