import { defineOperation, forbidden, type Principal } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { jsonPost, openService } from "../service/open-service.js";

const TEXT = "\u0000half \ud83d of\u001b a pair";
const PLAIN = "\ufffdhalf \ufffd of\ufffd a pair";

const validate = () => ({ issues: [{ message: TEXT, path: [TEXT] }] });
const input = { "~standard": { version: 1, vendor: "test", validate } } as const;
const notes = defineOperation({ name: "notes", path: "/notes", input });

/** Posts a body, and returns the problem of the reply. */
async function refusalOf(authorize: () => Principal): Promise<Record<string, unknown>> {
  const { body } = await openService([notes], { authorize }).service.handle(jsonPost("/notes", {}));
  return JSON.parse(String(body));
}

describe("a problem shows only text that everyone can hold", () => {
  it("from `authorize`", async () => {
    const authorize = (): never => {
      throw forbidden(TEXT);
    };
    expect(await refusalOf(authorize)).toMatchObject({ status: 403, detail: PLAIN });
  });

  it("from a validator", async () => {
    expect(await refusalOf(() => ({ id: "ann" }))).toMatchObject({
      status: 422,
      errors: [{ pointer: "#/%00half%20%EF%BF%BD%20of%1B%20a%20pair", detail: PLAIN }],
    });
  });
});
