import { afterEach, describe, expect, it } from "vitest";
import { mountOrders, request } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allAdapters } from "./identity-adapters.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The Latin-1 characters that a field may contain. Each stands for one byte (RFC 9110 §5.5). */
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((each) =>
  /[\t\x20-\x7e\x80-\xff]/.test(each),
);

describe.each(allAdapters)("the $adapter adapter", ({ createHarness }) => {
  /** Sends a field with these lines and returns the value that a hook sees. */
  async function fieldSeenByHook(lines: readonly string[]): Promise<string | undefined> {
    const harness = createHarness();
    closing.push(harness.close);
    const seen: (string | undefined)[] = [];
    const { send } = await mountOrders(harness, {
      authorize: ({ header }) => {
        seen.push(header("X-Odd"));
        return { id: "a" };
      },
    });
    await send(request("GET", "/operations/1", { "x-odd": lines }));
    expect(seen).toHaveLength(1);
    return seen[0];
  }

  it("passes hooks every character of a field as Latin-1", async () => {
    const value = `a${characters.join("")}b`;
    expect(await fieldSeenByHook([value])).toBe(value);
  });

  it("passes hooks UTF-8 as undecoded bytes", async () => {
    expect(await fieldSeenByHook([Buffer.from("b\u00fcch \ud83d\udcda").toString("latin1")])).toBe(
      "b\u00c3\u00bcch \u00f0\u009f\u0093\u009a",
    );
  });

  it("trims spaces and tabs from a field, and no other whitespace", async () => {
    expect(await fieldSeenByHook([" \t\u00a0x\u00a0\t "])).toBe("\u00a0x\u00a0");
  });

  it("passes hooks undefined for an absent field, and an empty string for an empty one", async () => {
    expect(await fieldSeenByHook([])).toBeUndefined();
    expect(await fieldSeenByHook([""])).toBe("");
  });

  it("joins repeated lines in order", async () => {
    expect(await fieldSeenByHook(["b", "", "a, c", "b"])).toBe("b, , a, c, b");
  });
});
