import { stepTo } from "./path-step.js";

/**
 * Returns the path of the part that makes a value large, such as `$.rows`: the deepest one that still takes more than half of
 * its bytes.
 *
 * @param text the value as JSON
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
