import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { type AsyncReplyError, isAsyncReplyError } from "async-request-reply";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { ORDER, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { type Express, expressVersions } from "../support/express-apps.js";
import { type Arrange, mountExpress, repliesTo } from "./express-orders.js";
import { idOf } from "./predictable-service.js";

const DUPLICATE = '{"itemId":"book","quantity":1,"quantity":2}';
const BOM = Buffer.from(`\ufeff${ORDER}`);
const keyed = { "idempotency-key": "k" };

/** Bodies that the parsers of Express accept, and requests that are refused before their body is read. */
const uploads: Readonly<Record<string, WireRequest>> = {
  "an order": submission(),
  "an order with a key": submission({ fields: keyed }),
  "the same order": submission({ fields: keyed, body: ORDER.replace(",", " , ") }),
  "another order with that key": submission({ fields: keyed, body: ORDER.replace("2", "3") }),
  "an order in chunks": submission({ body: { chunks: [ORDER.slice(0, 9), ORDER.slice(9)] } }),
  "a chunked body without chunks": submission({ body: { chunks: [] } }),
  "a repeated name": submission({ body: DUPLICATE }),
  "a byte order mark": submission({ body: BOM }),
  "bytes that are not UTF-8": submission({ body: Buffer.from('{"itemId":"b\xff","quantity":1}', "latin1") }),
  "an integer that no double holds": submission({ body: '{"itemId":"b","quantity":9007199254740993}' }),
  "a violation of the contract": submission({ body: '{"itemId":"","quantity":0}' }),
  "a body that is too large": submission({ body: `${ORDER}${" ".repeat(70_000)}` }),
  "a body that is compressed": submission({ fields: { "content-encoding": "gzip" }, body: gzipSync(ORDER) }),
  "a request that is not authorized": submission({ fields: { authorization: undefined } }),
  "an unknown path": submission({ path: "/nothing" }),
};

/** Bodies that only `express.raw` reads. `express.json` refuses or ignores them. */
const rawUploads: Readonly<Record<string, WireRequest>> = {
  ...uploads,
  "a malformed body": submission({ body: "{" }),
  "a body that is neither object nor array": submission({ body: "null" }),
  "a body of another type": submission({ fields: { "content-type": "text/plain" } }),
  "a body of no type": submission({ fields: { "content-type": undefined } }),
};

const withoutBody: Readonly<Record<string, WireRequest>> = {
  GET: request("GET", `/operations/${idOf(1)}`),
  HEAD: request("HEAD", `/operations/${idOf(1)}`),
  DELETE: request("DELETE", `/operations/${idOf(1)}`),
  OPTIONS: request("OPTIONS", "/orders"),
  "a submission without a body": request("POST", "/orders", { "content-type": "application/json" }),
  "a submission with an empty body": submission({ body: "" }),
};

const alone: Arrange = (handler) => [handler];
const behind =
  (...parsers: readonly unknown[]): Arrange =>
  (handler) => [...parsers, handler];

/** Returns the error that the application gets when `express.json()` runs before the handler. */
async function errorAfterParser(express: Express): Promise<AsyncReplyError> {
  const { send, errors } = await mountExpress(express, behind(express.json()));
  await send(submission());
  const [error] = errors;
  return isAsyncReplyError(error) ? error : expect.unreachable("the error is not an AsyncReplyError");
}

describe.each(expressVersions)("S18: the Express adapter on Express $version", ({ express }) => {
  it("works without a body parser", async () => {
    const { send, errors } = await mountExpress(express, alone);
    expect((await send(submission())).status).toBe(202);
    expect(errors).toEqual([]);
  });

  const parsers: Readonly<Record<string, (options?: object) => unknown>> = {
    json: express.json,
    urlencoded: (options) => express.urlencoded({ extended: false, ...options }),
    text: express.text,
  };
  const readByParser = Object.entries(parsers).flatMap(([name, parse]) =>
    Object.entries({ "an order": submission(), "a repeated name": submission({ body: DUPLICATE }) }).map(
      ([what, upload]) => ({ name, what, upload, parse }),
    ),
  );

  it.each(readByParser)(
    "reports to the application that express.$name() already read $what",
    async ({ parse, upload }) => {
      const { send, errors, events, recorded } = await mountExpress(
        express,
        behind(parse({ type: () => true })),
      );
      expect((await send(upload)).status).toBe(500);
      expect(errors).toMatchObject([{ name: "AsyncReplyError", code: "BODY_ALREADY_READ" }]);
      expect([events, await recorded()]).toEqual([[], []]);
    },
  );

  it("reports it even if the body was empty", async () => {
    const { send, errors } = await mountExpress(express, behind(express.text({ type: () => true })));
    await send(submission({ body: { chunks: [] } }));
    expect(errors).toMatchObject([{ code: "BODY_ALREADY_READ" }]);
  });

  it("reads the body itself if no parser handles its media type", async () => {
    const { send, errors } = await mountExpress(express, behind(express.urlencoded({ extended: true })));
    expect((await send(submission())).status).toBe(202);
    expect(errors).toEqual([]);
  });

  it.each(Object.entries(withoutBody))("ignores parsers if the request has no body: %s", async (_, each) => {
    const { raw, json, urlencoded, text: plain } = express;
    const all = [raw({ type: "application/json" }), json(), urlencoded({ extended: false }), plain()];
    const bare = await mountExpress(express, alone, { cancellable: true });
    const parsed = await mountExpress(express, behind(...all), { cancellable: true });
    const requests = [submission(), each];
    expect(await repliesTo(parsed, requests)).toEqual(await repliesTo(bare, requests));
    expect(parsed.errors).toEqual([]);
  });

  it("answers after other middleware waited for the end of a request without a body", async () => {
    const wait = async (req: IncomingMessage, _res: unknown, next: () => void): Promise<void> => {
      await text(req);
      next();
    };
    const { send, errors } = await mountExpress(express, behind(wait));
    expect((await send(request("GET", `/operations/${idOf(1)}`))).status).toBe(404);
    expect(errors).toEqual([]);
  });

  it("sends the same bytes after express.raw as without a parser", async () => {
    const bare = await mountExpress(express, alone);
    const parsed = await mountExpress(express, behind(express.raw({ type: () => true })));
    const requests = Object.values(rawUploads);
    expect(await repliesTo(parsed, requests)).toEqual(await repliesTo(bare, requests));
    expect(await parsed.recorded()).toEqual(await bare.recorded());
    expect(parsed.errors).toEqual([]);
  });

  it("sends the same bytes after an express.json that keeps the raw body as without a parser", async () => {
    const bare = await mountExpress(express, alone);
    const verify = (req: { rawBody?: Buffer }, _res: unknown, bytes: Buffer): void => {
      req.rawBody = bytes;
    };
    const parsed = await mountExpress(express, behind(express.json({ verify })));
    const requests = Object.values(uploads);
    const replies = await repliesTo(parsed, requests);
    expect(replies).toEqual(await repliesTo(bare, requests));
    expect(replies.map(({ status }) => status)).toEqual([
      202, 202, 202, 422, 202, 400, 400, 400, 400, 400, 422, 413, 415, 401, 404,
    ]);
    expect(await parsed.recorded()).toEqual(await bare.recorded());
    expect(parsed.errors).toEqual([]);
  });

  describe("suggests fixes in its error that work when copied", () => {
    async function suggested(pattern: RegExp): Promise<unknown> {
      const { detail } = await errorAfterParser(express);
      const [, code] = pattern.exec(detail) ?? expect.unreachable(`${pattern} is not in: ${detail}`);
      return runInNewContext(code ?? "", { express });
    }

    const before =
      (parser: unknown): Arrange =>
      (handler) => [handler, parser];
    const behindAll = (parser: unknown): Arrange => behind(parser, express.json());

    it.each([
      ["mounting the handler first", /Mount the handler before (express\.json\(\));/, before],
      ["express.raw", /or use (express\.raw\(.*?\)) on its paths;/, behindAll],
      ["keeping the raw body", /keep the bytes: (express\.json\(.*\))\.$/, behind],
    ])("%s", async (_, pattern, arrange) => {
      const parser = await suggested(pattern);
      const { send, errors } = await mountExpress(express, arrange(parser));
      expect((await send(submission())).status).toBe(202);
      for (const body of [DUPLICATE, BOM]) expect((await send(submission({ body }))).status).toBe(400);
      expect(errors).toEqual([]);
    });
  });
});
