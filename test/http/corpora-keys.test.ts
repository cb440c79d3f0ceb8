import { problemType } from "async-request-reply";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CorpusCase, describeCorpus } from "../corpora.js";
import type { RawReply } from "../raw-connection.js";
import { type OrderServer, startOrderServer } from "./order-server.js";

const ORDER = '{"itemId":"book","quantity":2}';

let server: OrderServer;
beforeEach(async () => {
  server = await startOrderServer();
});
afterEach(() => server.close());

interface Verdict {
  /** The key that is bound; without one the request is refused. */
  readonly key?: string;
  readonly because: string;
}

/** Where our answer is not that of the corpus, which speaks of Structured Field Items of any type. */
const exceptions: Readonly<Record<string, Verdict>> = {
  "string.json: empty string": { because: "a key has at least one character" },
  "string.json: long string": { because: "a key has at most 255 characters" },
  "string.json: two lines string": { because: "a repeated field is refused, not joined" },
  "item.json: leading space": { key: "1", because: "HTTP cuts blanks off a field; bare keys are taken" },
  "item.json: leading and trailing space": {
    key: "1",
    because: "a bare key is text, whatever it looks like",
  },
  "item.json: leading and trailing whitespace": {
    key: "1",
    because: "a bare key is text, whatever it looks like",
  },
  "token.json: basic token - item": { key: "a_b-c.d3:f%00/*", because: "a bare key is taken" },
  "token.json: token with capitals - item": { key: "fooBar", because: "a bare key is taken" },
  "token.json: token starting with capitals - item": { key: "FooBar", because: "a bare key is taken" },
};

function verdictOf({ name, verdict, expected }: CorpusCase): Verdict {
  const exception = exceptions[name];
  if (exception !== undefined) return exception;
  const because = `the corpus says ${verdict}`;
  return verdict === "accept" ? { key: (expected as readonly [string])[0], because } : { because };
}

/** The lines as they would be sent by a client that checks nothing: as the bytes of their UTF-8 form. */
const linesOf = (values: readonly string[]): [string, string][] =>
  values.map((value) => ["idempotency-key", Buffer.from(value).toString("latin1")]);

/** Either the server's parser refuses what no field may hold, without a body, or the service does with its problem. */
async function expectRefused(reply: RawReply): Promise<void> {
  expect(reply.status).toBe(400);
  if (reply.body !== "")
    expect(JSON.parse(reply.body)).toMatchObject({ type: problemType("invalid-idempotency-key") });
  expect(await server.recorded()).toEqual([]);
}

describeCorpus("structured-fields", (cases) => {
  it.each(cases.map((each) => ({ ...each, ...verdictOf(each) })))(
    "judges $name as an Idempotency-Key: $because",
    async ({ raw = [], key }) => {
      const reply = await server.post(ORDER, linesOf(raw));
      if (key === undefined) return expectRefused(reply);
      expect(reply.status).toBe(202);
      expect((await server.recorded()).map((operation) => operation.key)).toEqual([key]);
    },
  );

  it("has all the cases of which we say that our answer differs", () => {
    const names = cases.map(({ name }) => name);
    expect(Object.keys(exceptions).filter((name) => !names.includes(name))).toEqual([]);
  });
});

const isPrintable = (text: string): boolean => /^[\x20-\x7e]+$/.test(text);
const isBare = (text: string): boolean => /^[!-~]+$/.test(text) && !/[",;]/.test(text);
const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

describeCorpus("naughty-strings", (cases) => {
  const values = cases.map(({ value = "" }) => value).filter((value) => !/[\r\n]/.test(value));

  it.each(values)("takes %j for the key that it is, or refuses it, as a quoted string", async (value) => {
    const reply = await server.post(ORDER, linesOf([quoted(value)]));
    if (!isPrintable(value) || value.length > 255) return expectRefused(reply);
    expect(reply.status).toBe(202);
    expect((await server.recorded()).map(({ key }) => key)).toEqual([value]);
  });

  it.each(values.filter((value) => !value.trimStart().startsWith('"')))(
    "takes %j for the key that it is, or refuses it, as it stands",
    async (value) => {
      const reply = await server.post(ORDER, linesOf([value]));
      const sent = value.replace(/^[ \t]+|[ \t]+$/g, "");
      if (!isBare(sent) || sent.length > 255) return expectRefused(reply);
      expect(reply.status).toBe(202);
      expect((await server.recorded()).map(({ key }) => key)).toEqual([sent]);
    },
  );
});
