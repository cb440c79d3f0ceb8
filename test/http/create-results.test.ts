import { createMemoryBackend, type ServiceEvent } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createProcess, typeOf } from "./service-process.js";

describe("a resource returned by create", () => {
  it.each([
    ["$.body.lines[1]", "a Map", { lines: [1, new Map()] }],
    ["$.body.lines[0]", "undefined", { lines: [undefined] }],
    ["$.body", "a Set", new Set(["a"])],
  ])(
    "is refused with 503 if JSON cannot represent it: the observer learns that %s is %s",
    async (path, what, body) => {
      const events: ServiceEvent[] = [];
      const { submit } = createProcess(createMemoryBackend(), {
        create: () => ({ body: body as never }),
        observe: (event) => events.push(event),
      });
      const reply = await submit();
      expect([reply.status, typeOf(reply)]).toEqual([503, problemType("creation-failed")]);
      expect(reply.body).not.toContain("$");
      expect(events).toContainEqual({
        event: "background.failed",
        step: "create-resource",
        error: expect.objectContaining({
          code: "INVALID_RESULT",
          detail: expect.stringContaining(`\`${path}\` is ${what}, which JSON cannot represent.`),
        }),
      });
    },
  );

  it.each([
    ["a string", "text"],
    ["an array", [1]],
    ["missing", undefined],
  ])("is refused with 503 if its body is %s", async (_, body) => {
    const { submit } = createProcess(createMemoryBackend(), { create: () => ({ body: body as never }) });
    const reply = await submit();
    expect([reply.status, typeOf(reply)]).toEqual([503, problemType("creation-failed")]);
  });

  class Row {
    readonly secret = "internal";
    toJSON(): object {
      return { number: 7 };
    }
  }

  it.each([
    ["as its toJSON method returns it, without any other member", new Row()],
    ["without undefined members", { number: 7, note: undefined }],
  ])("is stored %s", async (_, body) => {
    const { submit } = createProcess(createMemoryBackend(), { create: () => ({ body: body as never }) });
    const reply = await submit();
    expect([reply.status, JSON.parse(String(reply.body))]).toEqual([201, { number: 7, status: "pending" }]);
  });
});
