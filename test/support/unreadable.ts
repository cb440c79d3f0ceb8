import { permanentFailure } from "async-request-reply";
import { afterEach, beforeEach, expect } from "vitest";

const refuse = (): never => {
  throw new Error("this value must not be inspected");
};

/** Has every trap. */
const traps: ProxyHandler<object> = new Proxy({}, { get: () => refuse });

const members =
  "code detail context message name stack cause then toJSON toString issues value status id".split(" ");

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/**
 * Values that throw when they are inspected, by name. User code can throw or return any of them. Do not pass them to
 * `describe.each`, which inspects them.
 */
export const unreadable: readonly (readonly [name: string, value: unknown])[] = [
  ["a revoked Proxy", revoked({})],
  ["a revoked Proxy of a function", revoked(() => {})],
  ["a revoked Proxy of an error of the package", revoked(permanentFailure("No."))],
  ["a Proxy whose traps throw", new Proxy({}, traps)],
  ["a Proxy of a function whose traps throw", new Proxy(() => {}, traps)],
  ["a Proxy of an error of the package whose traps throw", new Proxy(permanentFailure("No."), traps)],
  [
    "a Proxy of an error of the package whose members cannot be read",
    new Proxy(permanentFailure("No."), { get: refuse }),
  ],
  [
    "an object whose getters throw",
    Object.defineProperties({}, Object.fromEntries(members.map((name) => [name, { get: refuse }]))),
  ],
];

/** Fails every test of the file that leaves a rejected promise without a handler. */
export function failOnUnhandledRejections(): void {
  const reasons: unknown[] = [];
  const note = (reason: unknown): void => void reasons.push(reason);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(async () => {
    // Node reports unhandled rejections after the microtasks of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(reasons.splice(0).length, "unhandled rejections").toBe(0);
  });
}
