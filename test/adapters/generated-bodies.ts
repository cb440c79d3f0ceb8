import * as fc from "fast-check";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { mostly } from "./generated-fields.js";

/** The body limit that generated bodies are meant to hit and exceed. */
export const MAX_BYTES = 200;

const order = fc
  .record({
    itemId: fc.constantFrom("book", "unicorn", "b\u00fcch \ud83d\udcda"),
    quantity: fc.integer({ min: 1, max: 2 }),
  })
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, undefined, 1)));
const padded = fc
  .tuple(order, fc.integer({ min: MAX_BYTES - 2, max: MAX_BYTES + 2 }))
  .map(([text, length]) => text.padEnd(length - (Buffer.byteLength(text) - text.length)));
const notAnOrder = fc.oneof(
  fc.constantFrom("[]", "{}", '{"itemId":"","quantity":0}', '{"itemId":"b","quantity":1,"__proto__":1}'),
  fc.json({ maxDepth: 2 }),
);
const malformed = fc.oneof(
  order.map((text) => text.slice(0, -1)),
  order.map((text) => `\ufeff${text}`),
  order.map((text) => text.replace("{", '{"quantity":3,')),
  fc.string({ maxLength: 20 }),
  fc.constant(""),
);
const toBytes = (text: string): Buffer => Buffer.from(text);
const content: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 20, arbitrary: mostly(order, fc.oneof(notAnOrder, malformed)).map(toBytes) },
  { weight: 2, arbitrary: padded.map(toBytes) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
);

/** The same bytes in up to four chunks. */
const pieces = fc
  .tuple(content, fc.array(fc.nat({ max: MAX_BYTES }), { maxLength: 3 }))
  .map(([bytes, cuts]) => {
    const ends = [...cuts.filter((cut) => cut > 0 && cut < bytes.length), bytes.length].toSorted(
      (a, b) => a - b,
    );
    const starts = [0, ...ends.slice(0, -1)];
    return ends.map((end, index) => bytes.subarray(starts[index], end)).filter(({ length }) => length > 0);
  });

/** A body and its Content-Length field, if the request declares one. */
export interface Framed {
  readonly body: WireRequest["body"] | undefined;
  readonly headers: WireRequest["headers"];
}
const framed = (body: fc.Arbitrary<Framed["body"]>): fc.Arbitrary<Framed> =>
  body.map((each) => ({ body: each, headers: [] }));
/** An upload that ends or stalls before its declared length. */
const cutShort = (end: "abort" | "stall", missing: number): fc.Arbitrary<Framed> =>
  pieces.map((chunks) => ({
    body: { chunks, end },
    headers: [["content-length", String(Buffer.concat(chunks).length + missing)]],
  }));

const noBody = framed(fc.constant(undefined));
const finished = framed(
  fc.oneof(
    content,
    pieces.map((chunks) => ({ chunks })),
  ),
);
/** Only a POST may be broken off: it has no reply to compare, but the service always reports an event for it. */
const bodyOfPost = fc.oneof(
  { weight: 20, arbitrary: finished },
  { weight: 1, arbitrary: noBody },
  { weight: 1, arbitrary: framed(pieces.map((chunks) => ({ chunks, end: "abort" }))) },
  { weight: 1, arbitrary: cutShort("abort", 1) },
  { weight: 1, arbitrary: cutShort("stall", MAX_BYTES + 1) },
);
/** Generates the body of a request with this method, and how it is sent. */
export const generatedBody = (method: string): fc.Arbitrary<Framed> =>
  method === "POST" ? bodyOfPost : mostly(noBody, finished);
