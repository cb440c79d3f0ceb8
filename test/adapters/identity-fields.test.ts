import { afterEach, describe, expect, it } from "vitest";
import { mountOrders, request } from "../../src/testing/suites/adapter/orders-fixture.js";
import { allAdapters } from "./identity-adapters.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The characters of Latin-1 that a field can hold, each standing for one byte (RFC 9110 §5.5). */
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((each) =>
  /[\t\x20-\x7e\x80-\xff]/.test(each),
);

describe.each(allAdapters)("the $adapter adapter", ({ createHarness }) => {
  /** What a hook is told of a field that is sent with these lines. */
  async function toldOf(lines: readonly string[]): Promise<string | undefined> {
    const harness = createHarness();
    closing.push(harness.close);
    const told: (string | undefined)[] = [];
    const { send } = await mountOrders(harness, {
      authorize: ({ header }) => {
        told.push(header("X-Odd"));
        return { id: "a" };
      },
    });
    await send(request("GET", "/operations/1", { "x-odd": lines }));
    expect(told).toHaveLength(1);
    return told[0];
  }

  it("tells hooks a field as Latin-1, every character of it", async () => {
    const value = `a${characters.join("")}b`;
    expect(await toldOf([value])).toBe(value);
  });

  it("tells hooks UTF-8 as the bytes that it is", async () => {
    expect(await toldOf([Buffer.from("b\u00fcch \ud83d\udcda").toString("latin1")])).toBe(
      "b\u00c3\u00bcch \u00f0\u009f\u0093\u009a",
    );
  });

  it("cuts blanks and tabs off a field, and no other space", async () => {
    expect(await toldOf([" \t\u00a0x\u00a0\t "])).toBe("\u00a0x\u00a0");
  });

  it("tells hooks nothing of a field that is absent, and an empty text of one that is empty", async () => {
    expect(await toldOf([])).toBeUndefined();
    expect(await toldOf([""])).toBe("");
  });

  it("joins lines in their order", async () => {
    expect(await toldOf(["b", "", "a, c", "b"])).toBe("b, , a, c, b");
  });
});
