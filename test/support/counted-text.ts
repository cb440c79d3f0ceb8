/** Number of character reads by a parser. A character that is read twice counts twice. */
interface StepCount {
  steps: number;
}

/**
 * Wraps a text so that it counts reads, which lets a test distinguish linear from quadratic time without a clock.
 * Reading one character or the length is one step. A method of String takes one step per character that it passes.
 */
export function countedText(text: string): { readonly text: string; readonly count: StepCount } {
  const count: StepCount = { steps: 0 };
  const proxy = new Proxy(new String(text), {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") {
        count.steps++;
        return member;
      }
      return (...args: unknown[]): unknown => {
        const result: unknown = member.apply(target, args);
        count.steps += charactersPassed(text, property, args, result);
        return result;
      };
    },
  });
  // The proxy has every member of a string. Only `typeof` shows the difference.
  return { text: proxy as unknown as string, count };
}

function charactersPassed(text: string, method: PropertyKey, args: unknown[], result: unknown): number {
  const [, from = 0] = args as [unknown, number?];
  switch (method) {
    case "charCodeAt":
      return 1;
    case "indexOf":
      return (result === -1 ? text.length : (result as number)) - from + 1;
    case "startsWith":
      return String(args[0]).length;
    case "slice":
      return (result as string).length + 1;
    default:
      return text.length;
  }
}
