import { expect, it } from "vitest";
import { type CorpusCase, describeCorpus } from "../support/corpora.js";
import type { RawReply } from "../support/raw-connection.js";
import { useOrderServer } from "./order-server.js";

const ORDER = '{"itemId":"book","quantity":2}';

const server = useOrderServer();

interface Verdict {
  /** The key that the service records. Absent if the request is refused. */
  readonly key?: string;
  readonly because: string;
}

const BARE = "a bare key is accepted as text, even if it looks like a number";

/** Cases where the service deliberately differs from the corpus, which covers Structured Field Items of all types. */
const exceptions: Readonly<Record<string, Verdict>> = {
  "string.json: empty string": { because: "a key has at least one character" },
  "string.json: long string": { because: "a key has at most 255 characters" },
  "string.json: two lines string": { because: "a repeated field is refused, not joined" },
  "item.json: leading space": { key: "1", because: `HTTP trims whitespace around a field; ${BARE}` },
  "item.json: leading and trailing space": { key: "1", because: BARE },
  "item.json: leading and trailing whitespace": { key: "1", because: BARE },
  "token.json: basic token - item": { key: "a_b-c.d3:f%00/*", because: BARE },
  "token.json: token with capitals - item": { key: "fooBar", because: BARE },
  "token.json: token starting with capitals - item": { key: "FooBar", because: BARE },
};

function verdictOf({ name, verdict, expected }: CorpusCase): Verdict {
  const exception = exceptions[name];
  if (exception !== undefined) return exception;
  const because = `the corpus says ${verdict}`;
  return verdict === "accept" ? { key: (expected as readonly [string])[0], because } : { because };
}

/** Encodes the lines as UTF-8 bytes, like a client that does not validate them. */
const linesOf = (values: readonly string[]): [string, string][] =>
  values.map((value) => ["idempotency-key", Buffer.from(value).toString("latin1")]);

/** Expects that this key was recorded. */
async function expectKept(reply: RawReply, key: string): Promise<void> {
  expect(reply.status).toBe(202);
  expect((await server.recorded()).map((operation) => operation.key)).toEqual([key]);
}

/** Expects 400: with no body from the server's parser, or with a problem from the service. */
async function expectRefused(reply: RawReply): Promise<void> {
  if (reply.body !== "") return server.expectRefused(reply, 400, "invalid-idempotency-key");
  expect(reply.status).toBe(400);
  expect(await server.recorded()).toEqual([]);
}

describeCorpus("structured-fields", (cases) => {
  it.each(cases.map((each) => ({ ...each, ...verdictOf(each) })))(
    "judges $name as an Idempotency-Key: $because",
    async ({ raw = [], key }) => {
      const reply = await server.post(ORDER, linesOf(raw));
      await (key === undefined ? expectRefused(reply) : expectKept(reply, key));
    },
  );

  it("contains every case that the service treats differently", () => {
    const names = cases.map(({ name }) => name);
    expect(Object.keys(exceptions).filter((name) => !names.includes(name))).toEqual([]);
  });
});

const isPrintable = (text: string): boolean => /^[\x20-\x7e]+$/.test(text);
const isBare = (text: string): boolean => /^[!-~]+$/.test(text) && !/[",;]/.test(text);
const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

describeCorpus("naughty-strings", (cases) => {
  const values = cases.map(({ value = "" }) => value).filter((value) => !/[\r\n]/.test(value));

  it.each(values)("keeps %j as a quoted key unchanged, or refuses it", async (value) => {
    const reply = await server.post(ORDER, linesOf([quoted(value)]));
    const isKey = isPrintable(value) && value.length <= 255;
    await (isKey ? expectKept(reply, value) : expectRefused(reply));
  });

  it.each(values.filter((value) => !value.trimStart().startsWith('"')))(
    "keeps %j as a bare key unchanged, or refuses it",
    async (value) => {
      const reply = await server.post(ORDER, linesOf([value]));
      const sent = value.replace(/^[ \t]+|[ \t]+$/g, "");
      const isKey = isBare(sent) && sent.length <= 255;
      await (isKey ? expectKept(reply, sent) : expectRefused(reply));
    },
  );
});
