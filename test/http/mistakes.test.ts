import { describe, expect, it } from "vitest";
import * as z from "zod";
import { inOption } from "../contract/option-mistakes.js";
import { anything } from "../support/careless-schema.js";
import { testMistakes, untyped } from "../support/untyped.js";

const { createService, defineOperation, apiKey, createYangFormats } = untyped;
const EXAMPLE = 'defineOperation({ name: "exports", path: "/exports", input: schema })';
const BACK_END = "a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`";
const BASE_PATH = "must be a path such as `/api`, without a slash at the end";
const OBSERVER = "must be a function, or `false` for silence";
const FORMATS = "must be a list of formats, such as `[xmlFormat]`";
const SERVICE = "Pass the return value of createService() or createOrderService().";
const CREDENTIALS =
  "a function that verifies a credential, or an object of known credentials and principals: `{ token: id }`";
const input = z.object({});
const jsonSchema = { type: "object", properties: { quantity: { type: "integer" } } };
const run = (): void => {};
const jsonFormat = { mediaTypes: ["application/json"], problemMediaType: "a/b", parse: run, serialize: run };
const authorize = (): unknown => ({ id: "a" });
const request = { method: "GET", path: "/", headers: {} };
const pool = { connect: (): void => {} };
const one = defineOperation({ name: "one", path: "/one", input }) as object;
const two = defineOperation({ name: "two", path: "/two", input }) as object;
const serve = (change: object): unknown =>
  createService({ authorize, definitions: [one], observe: false, ...change });

const UNSET = 'the credential "undefined". Check that its variable is set.';

/** Mistakes in credentials, and what the error says that was passed. */
const credentials = [
  ["an empty object of tokens", "bearer", "an empty object.", {}],
  ["a list of tokens", "bearer", "a list.", ["secret"]],
  ["a token from a variable of the environment that is not set", "bearer", UNSET, { undefined: "ann" }],
  ["a key without a principal", "apiKey", "undefined as a principal.", { secret: undefined }],
  ["no tokens", "bearer", "undefined.", undefined],
  ["a token, which the message does not repeat", "bearer", "a string.", "secret"],
  ["no keys", "apiKey", "undefined.", undefined],
] as const;

const handlers = [
  ["submit to", "submitOrder"],
  ["submit work to", "submitOperation"],
  ["read from", "getOperation"],
] as const;

describe("the error of a mistake in a service says what is wrong and what is expected", () => {
  testMistakes([
    [
      "no options for a service",
      "The options of createService must be an object, not undefined.",
      () => createService(),
    ],
    [
      "an empty list of definitions",
      `Option \`definitions\` is an empty list. Pass at least one definition: \`definitions: [${EXAMPLE}]\`.`,
      () => serve({ definitions: [] }),
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
      "a challenge that cannot be sent",
      'Option `authorize.challenge` must be a `WWW-Authenticate` value in printable ASCII, such as `Bearer`, not "Bearer\\r\\na: b".',
      () => serve({ authorize: Object.assign(() => undefined, { challenge: "Bearer\r\na: b" }) }),
    ],
    ...inOption(serve, [
      [
        "a definition instead of a list",
        { definitions: one },
        `must be a list: \`[${EXAMPLE}]\`, not an object.`,
      ],
      ["an authorize hook that is not a function", { authorize: "me" }, 'must be a function, not "me".'],
      ["an admit hook that is not a function", { admit: 3 }, "must be a function, not 3."],
      ["a base path with a trailing slash", { basePath: "/api/" }, `${BASE_PATH}, not "/api/".`],
      ["a base path without a leading slash", { basePath: "api" }, `${BASE_PATH}, not "api".`],
      ["an observer that is not a function", { observe: true }, `${OBSERVER}, not true.`],
      ["a pool instead of a back end", { backend: pool }, `must be ${BACK_END}, not an object.`],
      ["formats that are not a list", { formats: {} }, `${FORMATS}, not an object.`],
      [
        "a nesting depth that could exhaust the stack",
        { maxDepth: 1_001 },
        "must be at most 1000, not 1001.",
      ],
      [
        "a record timeout longer than the purge grace allows",
        { recordTimeoutMs: 30_001 },
        "must be at most 30000 milliseconds, not 30001.",
      ],
      [
        "a duration beyond the range of timers",
        { leaseMs: 2 ** 31 },
        "must be at most 2147483647 milliseconds (24.8 days), not 2147483648.",
      ],
    ]),
    ...[
      ["options", { name: "one", path: "/one", input: jsonSchema }],
      ["options with a validator", { name: "one", path: "/one", input }],
    ].map(
      ([what, given]) =>
        [
          `${what} instead of a definition`,
          `Option \`definitions[0]\` must be a definition: \`${EXAMPLE}\`, not an object.`,
          () => serve({ definitions: [given] }),
        ] as const,
    ),
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
          definitions: [defineOperation({ name: "bare", path: "/bare", input: anything })],
        }),
    ],
    [
      "two formats with the same media type",
      'Two `formats` share the media type "application/json". Every format needs its own media types. JSON is built in; do not pass it.',
      () => serve({ formats: [jsonFormat] }),
    ],
    ...credentials.map(
      ([mistake, hook, instead, given]) =>
        [mistake, `${hook}() takes ${CREDENTIALS}, not ${instead}`, () => untyped[hook](given)] as const,
    ),
    [
      "an API key in a field without a name",
      'Option `header` must be the name of a header field, such as `X-API-Key`, not "".',
      () => apiKey({ k: "me" }, { header: "" }),
    ],
    ...handlers.map(
      ([purpose, handler]) =>
        [
          `no service to ${purpose}`,
          `${handler}() takes a service, not undefined. ${SERVICE}`,
          () => untyped[handler](request, undefined, one),
        ] as const,
    ),
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
