import * as fc from "fast-check";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { generatedBody } from "./generated-bodies.js";
import { generatedFields, mostly } from "./generated-fields.js";
import { idOf } from "./predictable-service.js";

// Requests that the server's own parser answers never reach an adapter, so they are not generated: CONNECT, Expect,
// unknown methods and framing, and control characters in fields. test/adapters/node-framing.test.ts covers those.

const id = fc.integer({ min: 1, max: 60 }).map(idOf);
const segment = fc.string({ unit: fc.constantFrom(..."abC1-._~%2e/"), maxLength: 8 });
const path = fc.oneof(
  { weight: 12, arbitrary: fc.constant("/orders") },
  { weight: 6, arbitrary: id.map((each) => `/operations/${each}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("/", "*", "//orders", "/orders/", "/ORDERS", "/orders#x", "/x/../orders"),
  },
  { weight: 1, arbitrary: segment.map((each) => `/operations/${each}`) },
  { weight: 1, arbitrary: segment.map((each) => `/${each}`) },
  { weight: 1, arbitrary: fc.constantFrom("http://shop.example/orders", "https://shop.example/x/../orders") },
);
const query = mostly(
  fc.constant(""),
  fc.string({ unit: fc.constantFrom(..."ab=&?/%2f;,+"), maxLength: 10 }).map((each) => `?${each}`),
);
const target = fc.tuple(path, query).map(([each, rest]) => (each === "*" ? each : each + rest));

const methodsOfMonitor = fc.constantFrom("GET", "GET", "GET", "HEAD", "DELETE", "OPTIONS");
const anyMethod = fc.constantFrom(
  ..."GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND M-SEARCH".split(" "),
);
const methodFor = (path: string): fc.Arbitrary<string> =>
  mostly(path.startsWith("/operations/") ? methodsOfMonitor : fc.constant("POST"), anyMethod);

/** Generates requests of every kind that a server's parser passes on. */
export const generatedRequest: fc.Arbitrary<WireRequest> = target
  .chain((path) => fc.tuple(fc.constant(path), methodFor(path)))
  .chain(([path, method]) => fc.tuple(fc.constant({ method, path }), generatedFields, generatedBody(method)))
  .map(([line, lines, { body, headers }]) => ({
    ...line,
    headers: [...lines, ...headers],
    ...(body === undefined ? {} : { body }),
  }));
