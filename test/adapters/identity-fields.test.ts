import { createOrderService } from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  mountOrders,
  type Options,
  request,
  submission,
} from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allAdapters } from "./identity-adapters.js";
import { serve } from "./node-stage.js";
import { comparable } from "./predictable-service.js";
import { refuseWithField } from "./unwritable-field.js";

/** The Latin-1 characters that a field may contain. Each stands for one byte (RFC 9110 §5.5). */
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((each) =>
  /[\t\x20-\x7e\x80-\xff]/.test(each),
);

describe.each(allAdapters)("the $adapter adapter", ({ createHarness }) => {
  function mount(options: Options) {
    const harness = createHarness();
    onTestFinished(harness.close);
    return mountOrders(harness, options);
  }

  /** Sends a field with these lines and returns the value that a hook sees. */
  async function fieldSeenByHook(...lines: readonly string[]): Promise<string | undefined> {
    const seen: (string | undefined)[] = [];
    const { send } = await mount({
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
    expect(await fieldSeenByHook(value)).toBe(value);
  });

  it("passes hooks UTF-8 as undecoded bytes", async () => {
    const bytes = Buffer.from("b\u00fcch \ud83d\udcda").toString("latin1");
    expect(await fieldSeenByHook(bytes)).toBe("b\u00c3\u00bcch \u00f0\u009f\u0093\u009a");
  });

  it("trims spaces and tabs from a field, and no other whitespace", async () => {
    expect(await fieldSeenByHook(" \t\u00a0x\u00a0\t ")).toBe("\u00a0x\u00a0");
  });

  it("passes hooks undefined for an absent field, and an empty string for an empty one", async () => {
    expect(await fieldSeenByHook()).toBeUndefined();
    expect(await fieldSeenByHook("")).toBe("");
  });

  it("joins repeated lines in order", async () => {
    expect(await fieldSeenByHook("b", "", "a, c", "b")).toBe("b, , a, c, b");
  });

  it.each([
    ...["Bearer\r\nset-cookie: a=b", "Bearer\nx", "Bearer\u0000"],
    ...['Bearer realm="\u0100"', "Bearer \ud83d\udcda"],
  ])("answers an empty 500 if a hook returns a field that cannot be sent: %j", async (value) => {
    for (const refused of [request("GET", "/operations/1"), submission({ body: { chunks: ["{", "}"] } })]) {
      const { send } = await mount(refuseWithField(value));
      await send(refused);
      // The second request shows that the first did not harm the server.
      expect(comparable(await send(refused))).toEqual({ status: 500, headers: [], body: "" });
    }
  });
});

it("writes a reason phrase for the 500 on a connection", async () => {
  const connection = (await serve(createOrderService(refuseWithField("Bearer\nx")))).connect();
  await connection.write("GET /operations/1 HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(await connection.readUntil("\r\n")).toBe("HTTP/1.1 500 Internal Server Error\r\n");
});
