import { describe, expect, it } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const {
  createService,
  defineOperation,
  bearer,
  apiKey,
  submitOrder,
  submitOperation,
  getOperation,
  createYangFormats,
} = untyped;
const EXAMPLE = 'defineOperation({ name: "exports", path: "/exports", input: schema })';
const BACK_END = "a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`";
const SERVICE = "Pass the return value of createService() or createOrderService().";
const CREDENTIALS =
  "a function that verifies a credential, or an object of known credentials and principals: `{ token: id }`";
const input = z.object({});
const jsonSchema = { type: "object", properties: { quantity: { type: "integer" } } };
const run = (): void => {};
const authorize = (): unknown => ({ id: "a" });
const request = { method: "GET", path: "/", headers: {} };
const pool = { connect: (): void => {} };
const one = defineOperation({ name: "one", path: "/one", input }) as object;
const two = defineOperation({ name: "two", path: "/two", input }) as object;
const serve = (change: object): unknown =>
  createService({ authorize, definitions: [one], observe: false, ...change });

describe("the error of a mistake in a service says what is wrong and what is expected", () => {
  testMistakes([
    [
      "no options for a service",
      "The options of createService must be an object, not undefined.",
      () => createService(),
    ],
    [
      "a definition instead of a list",
      `Option \`definitions\` must be a list: \`[${EXAMPLE}]\`, not an object.`,
      () => serve({ definitions: one }),
    ],
    [
      "an empty list of definitions",
      `Option \`definitions\` is an empty list. Pass at least one definition: \`definitions: [${EXAMPLE}]\`.`,
      () => serve({ definitions: [] }),
    ],
    [
      "options instead of a definition",
      `Option \`definitions[0]\` must be a definition: \`${EXAMPLE}\`, not an object.`,
      () => serve({ definitions: [{ name: "one", path: "/one", input: jsonSchema }] }),
    ],
    [
      "options with a validator instead of a definition",
      `Option \`definitions[0]\` must be a definition: \`${EXAMPLE}\`, not an object.`,
      () => serve({ definitions: [{ name: "one", path: "/one", input }] }),
    ],
    [
      "two definitions with the same name",
      'Two `definitions` share the name "one". Every definition needs its own name.',
      () => serve({ definitions: [one, { ...one, path: "/two" }] }),
    ],
    [
      "two definitions with the same path",
      'Two `definitions` share the path "/one": one and two. Every definition needs its own path.',
      () => serve({ definitions: [one, { ...two, path: "/one" }] }),
    ],
    [
      "two names that differ only in case",
      'The names "one" and "One" in `definitions` differ only in case. Rename one of them.',
      () => serve({ definitions: [one, { ...two, name: "One" }] }),
    ],
    [
      "an authorize hook that is not a function",
      'Option `authorize` must be a function, not "me".',
      () => serve({ authorize: "me" }),
    ],
    [
      "a challenge that cannot be sent",
      'Option `authorize.challenge` must be a `WWW-Authenticate` value in printable ASCII, such as `Bearer`, not "Bearer\\r\\na: b".',
      () => serve({ authorize: Object.assign(() => undefined, { challenge: "Bearer\r\na: b" }) }),
    ],
    [
      "an admit hook that is not a function",
      "Option `admit` must be a function, not 3.",
      () => serve({ admit: 3 }),
    ],
    [
      "a base path with a trailing slash",
      'Option `basePath` must be a path such as `/api`, without a slash at the end, not "/api/".',
      () => serve({ basePath: "/api/" }),
    ],
    [
      "a base path without a leading slash",
      'Option `basePath` must be a path such as `/api`, without a slash at the end, not "api".',
      () => serve({ basePath: "api" }),
    ],
    [
      "an observer that is not a function",
      "Option `observe` must be a function, or `false` for silence, not true.",
      () => serve({ observe: true }),
    ],
    [
      "a pool instead of a back end",
      `Option \`backend\` must be ${BACK_END}, not an object.`,
      () => serve({ backend: pool }),
    ],
    [
      "formats that are not a list",
      "Option `formats` must be a list of formats, such as `[xmlFormat]`, not an object.",
      () => serve({ formats: {} }),
    ],
    [
      "a name instead of a format",
      'Option `formats[0]` must be a format, such as `xmlFormat`, not "xml".',
      () => serve({ formats: ["xml"] }),
    ],
    [
      "a format without media types",
      'Option `formats[0].mediaTypes` must be a list such as `["application/xml"]`, not undefined.',
      () => serve({ formats: [{}] }),
    ],
    [
      "a format with a media type in upper case",
      'Option `formats[0].mediaTypes[0]` must be a media type in lower case, such as `application/xml`, not "Text/XML".',
      () => serve({ formats: [{ mediaTypes: ["Text/XML"] }] }),
    ],
    [
      "a format without `parse`",
      "Option `formats[0].parse` must be a function, not undefined.",
      () => serve({ formats: [{ mediaTypes: ["a/b"], problemMediaType: "a/c" }] }),
    ],
    [
      "a format that needs a missing JSON Schema",
      'The format application/yang-data+json needs a JSON Schema to read bodies, and the definition "bare" in `definitions` has none. Pass `jsonSchema` to defineOperation(), or use a validator that exports JSON Schema.',
      () =>
        serve({
          formats: createYangFormats({ module: "a", namespace: "urn:a" }),
          definitions: [
            defineOperation({
              name: "bare",
              path: "/bare",
              input: { "~standard": { version: 1, vendor: "test", validate: run } },
            }),
          ],
        }),
    ],
    [
      "two formats with the same media type",
      'Two `formats` share the media type "application/json". Every format needs its own media types. JSON is built in; do not pass it.',
      () =>
        serve({
          formats: [
            { mediaTypes: ["application/json"], problemMediaType: "a/b", parse: run, serialize: run },
          ],
        }),
    ],
    [
      "a nesting depth that could exhaust the stack",
      "Option `maxDepth` must be at most 1000, not 1001.",
      () => serve({ maxDepth: 1_001 }),
    ],
    [
      "a record timeout longer than the purge grace allows",
      "Option `recordTimeoutMs` must be at most 30000 milliseconds, not 30001.",
      () => serve({ recordTimeoutMs: 30_001 }),
    ],
    [
      "a duration beyond the range of timers",
      "Option `leaseMs` must be at most 2147483647 milliseconds (24.8 days), not 2147483648.",
      () => serve({ leaseMs: 2 ** 31 }),
    ],
    ["an empty object of tokens", `bearer() takes ${CREDENTIALS}, not an empty object.`, () => bearer({})],
    ["a list of tokens", `bearer() takes ${CREDENTIALS}, not a list.`, () => bearer(["secret"])],
    [
      "a token from a variable of the environment that is not set",
      `bearer() takes ${CREDENTIALS}, not the credential "undefined". Check that its variable is set.`,
      () => bearer({ [String(undefined)]: "ann" }),
    ],
    [
      "a key without a principal",
      `apiKey() takes ${CREDENTIALS}, not undefined as a principal.`,
      () => apiKey({ secret: undefined }),
    ],
    ["no tokens", `bearer() takes ${CREDENTIALS}, not undefined.`, () => bearer(undefined)],
    [
      "a token, which the message does not repeat",
      `bearer() takes ${CREDENTIALS}, not a string.`,
      () => bearer("secret"),
    ],
    ["no keys", `apiKey() takes ${CREDENTIALS}, not undefined.`, () => apiKey(undefined)],
    [
      "an API key in a field without a name",
      'Option `header` must be the name of a header field, such as `X-API-Key`, not "".',
      () => apiKey({ k: "me" }, { header: "" }),
    ],
    [
      "no service to submit to",
      `submitOrder() takes a service, not undefined. ${SERVICE}`,
      () => submitOrder(request, undefined),
    ],
    [
      "no service to submit work to",
      `submitOperation() takes a service, not undefined. ${SERVICE}`,
      () => submitOperation(request, undefined, one),
    ],
    [
      "no service to read from",
      `getOperation() takes a service, not undefined. ${SERVICE}`,
      () => getOperation(request, undefined),
    ],
  ]);
});

it.each([
  ["a Request", new Request("http://localhost/one")],
  ["a request of Node", { method: "GET", url: "/one", headers: {} }],
  ["nothing", undefined],
])("service.handle says what it needs instead of %s", async (_, given) => {
  const { handle } = serve({}) as { readonly handle: (request: unknown) => Promise<unknown> };
  await expect(handle(given)).rejects.toMatchObject({
    code: "INVALID_OPTION",
    detail:
      "service.handle takes a request as plain data: `{ method, path, headers, body }`. For a `Request`, or a request of Node, mount " +
      "the service with toFetchHandler(service) or toNodeHandler(service).",
  });
});
