import { describe } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const { createService, defineOperation, createOpenApiDocument, withOpenApi } = untyped;
const SERVICE = "Pass the return value of createService() or createOrderService().";
const info = { title: "a", version: "1" };
const input = z.object({});
const authorize = (): unknown => ({ id: "a" });
const one = defineOperation({ name: "one", path: "/one", input }) as object;
const two = defineOperation({ name: "two", path: "/two", input }) as object;
const service = createService({ authorize, definitions: [one, two], observe: false });

describe("a mistake in describing a service gets a message that says what is wrong, what is expected and what to do", () => {
  testMistakes([
    [
      "no service to describe",
      `createOpenApiDocument() takes a service, not undefined. ${SERVICE}`,
      () => createOpenApiDocument(undefined, { info: {} }),
    ],
    [
      "no info",
      'Option `info` must be `{ title: "Orders", version: "1.0.0" }`, not undefined.',
      () => createOpenApiDocument(service, {}),
    ],
    [
      "no title",
      "Option `info.title` must be a string that is not empty, not undefined.",
      () => createOpenApiDocument(service, { info: { version: "1" } }),
    ],
    [
      "an empty version",
      'Option `info.version` must be a string that is not empty, not "".',
      () => createOpenApiDocument(service, { info: { title: "a", version: "" } }),
    ],
    [
      "an unknown security scheme",
      'Unknown scheme "basic" in `security`. Known schemes: bearer.',
      () => createOpenApiDocument(service, { info, security: [{ basic: [] }] }),
    ],
    [
      "no service with a document",
      `withOpenApi() takes a service, not an object. ${SERVICE}`,
      () => withOpenApi({}, {}),
    ],
    [
      "a path that is taken",
      'Option `path` must be an unused path, such as `/openapi.json`, not "/one".',
      () => withOpenApi(service, { info, path: "/one" }),
    ],
  ]);
});
