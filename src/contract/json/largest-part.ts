import { stepTo } from "./path-step.js";

/**
 * Returns the path of the part that makes a value large, such as `$.rows`. Starts at the root, and descends as long as
 * one member takes more than half of the bytes.
 *
 * @param text Value as JSON.
 */
export function largestPart(text: string): string {
  let value: unknown = JSON.parse(text);
  let length = text.length;
  let path = "$";
  for (;;) {
    const largest = largestMember(value);
    if (largest === undefined || largest.length <= length / 2) return path;
    path += stepTo(value, largest.name);
    value = largest.value;
    length = largest.length;
  }
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly length: number;
}

function largestMember(value: unknown): Member | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const members = Object.entries(value).map(([name, each]) => ({
    name,
    value: each as unknown,
    length: JSON.stringify(each).length,
  }));
  return members.reduce<Member | undefined>(
    (largest, member) => (member.length > (largest?.length ?? 0) ? member : largest),
    undefined,
  );
}
