import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  apiKey,
  bearer,
  createMemoryBackend,
  createOrderService,
  type ServiceEvent,
  type Verify,
} from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import * as jose from "jose";
import jwt from "jsonwebtoken";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toHttpRequest } from "../support/plain-harness.js";
import { createProcess, typeOf } from "./service-process.js";

const SECRET = "a secret that is long enough for HS256";
const ISSUER = "https://id.example";

/** Sends a token to a service that checks it with `verify`, and returns the outcome. */
async function present(token: string, verify: Verify) {
  const events: ServiceEvent[] = [];
  const { submit } = createProcess(createMemoryBackend(), {
    authorize: bearer(verify),
    observe: (event) => events.push(event),
  });
  const reply = await submit({ fields: { authorization: `Bearer ${token}` } });
  const problem = reply.status === 202 ? "" : typeOf(reply).split("#")[1];
  const [event] = events;
  const { error } = (event ?? {}) as { readonly error: Error };
  return { status: reply.status, problem, challenge: reply.headers["www-authenticate"], event, error };
}

const ACCEPTED = { status: 202, problem: "" };
const REFUSED = { status: 401, problem: "unauthenticated", challenge: 'Bearer realm="operations"' };
const UNAVAILABLE = { status: 503, problem: "authorization-unavailable", challenge: undefined };

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Tokens that every library refuses. */
const BROKEN: Readonly<Record<string, string>> = {
  "one word": "garbage",
  "three words": "aaaa.bbbb.cccc",
  "a header that is not JSON": `${base64url("{alg}")}.${base64url("{}")}.cccc`,
  "a payload that is not JSON": `${base64url('{"alg":"HS256","typ":"JWT"}')}.bbbb.cccc`,
  "no signature": `${base64url('{"alg":"none"}')}.${base64url("{}")}.`,
  "an unknown algorithm": `${base64url('{"alg":"XX999"}')}.${base64url("{}")}.cccc`,
};

describe("a bearer token verified by jose", () => {
  let key: jose.CryptoKey;
  let jwk: jose.JWK;
  let other: jose.CryptoKey;

  beforeAll(async () => {
    const pair = await jose.generateKeyPair("ES256", { extractable: true });
    key = pair.privateKey;
    jwk = { ...(await jose.exportJWK(pair.publicKey)), kid: "1", alg: "ES256" };
    other = (await jose.generateKeyPair("ES256")).privateKey;
  });

  function sign(
    change: (token: jose.SignJWT) => jose.SignJWT = (token) => token,
    { by = key, kid = "1" } = {},
  ): Promise<string> {
    const token = new jose.SignJWT({}).setProtectedHeader({ alg: "ES256", kid }).setIssuer(ISSUER);
    return change(token.setSubject("a").setExpirationTime("1h")).sign(by);
  }

  const verifyBy =
    (keys: jose.JWTVerifyGetKey): Verify =>
    async (token) => {
      const { payload } = await jose.jwtVerify(token, keys, { issuer: ISSUER, algorithms: ["ES256"] });
      return { id: payload.sub ?? "" };
    };
  const verify: Verify = (...asked) => verifyBy(jose.createLocalJWKSet({ keys: [jwk] }))(...asked);

  it("is accepted if it is valid", async () => {
    expect(await present(await sign(), verify)).toMatchObject(ACCEPTED);
  });

  it.each(Object.entries(BROKEN))("is refused with a challenge if it has %s", async (_, token) => {
    expect(await present(token, verify)).toMatchObject(REFUSED);
  });

  const refused: Readonly<Record<string, () => Promise<string>>> = {
    "it has expired": () => sign((token) => token.setExpirationTime(1)),
    "it is not valid yet": () => sign((token) => token.setNotBefore("1h")),
    "it was signed with another key": () => sign(undefined, { by: other }),
    "the key set has no key with its id": () => sign(undefined, { kid: "2" }),
    "it comes from another issuer": () => sign((token) => token.setIssuer("https://other.example")),
    "its algorithm is not allowed": () =>
      new jose.SignJWT({}).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(SECRET)),
  };

  it.each(Object.entries(refused))("is refused with a challenge if %s", async (_, token) => {
    expect(await present(await token(), verify)).toMatchObject(REFUSED);
  });

  it("is refused with the reason but without its claims in the event", async () => {
    const token = await sign((each) => each.setAudience("canary").setExpirationTime(1));
    const { event, error } = await present(token, verify);
    expect(event).toMatchObject({ event: "request.refused", status: 401 });
    expect(error.message).toContain("ERR_JWT_EXPIRED");
    expect(JSON.stringify([error, error.cause, { ...error }])).not.toContain("canary");
  });

  describe("with a remote key set", () => {
    let server: Server | undefined;
    afterEach(() => {
      server?.closeAllConnections();
      server?.close();
    });

    async function serve(listener: RequestListener): Promise<URL> {
      server = createServer(listener).listen(0, "127.0.0.1");
      await once(server, "listening");
      return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }

    it("is accepted if it is valid", async () => {
      const url = await serve((_, res) => res.end(JSON.stringify({ keys: [jwk] })));
      expect(await present(await sign(), verifyBy(jose.createRemoteJWKSet(url)))).toMatchObject(ACCEPTED);
    });

    const outages: Readonly<Record<string, RequestListener>> = {
      "answers 500": (_, res) => res.writeHead(500).end(),
      "answers with HTML": (_, res) => res.end("<html>"),
      "answers with JSON that is not a key set": (_, res) => res.end('{"keys":7}'),
      "does not answer": () => {},
      "breaks the connection": (_, res) => res.destroy(),
    };

    it.each(Object.entries(outages))("gets 503 while the endpoint %s", async (_, listener) => {
      const keys = jose.createRemoteJWKSet(await serve(listener), { timeoutDuration: 50 });
      expect(await present(await sign(), verifyBy(keys))).toMatchObject(UNAVAILABLE);
    });

    it("gets 503 while the endpoint is down", async () => {
      const url = await serve(() => {});
      await new Promise((resolve) => server?.close(resolve));
      expect(await present(await sign(), verifyBy(jose.createRemoteJWKSet(url)))).toMatchObject(UNAVAILABLE);
    });
  });
});

describe("a bearer token verified by jsonwebtoken", () => {
  const options = { issuer: ISSUER, subject: "a" } as const;
  const verify: Verify = (token) => ({ id: String(jwt.verify(token, SECRET, { issuer: ISSUER }).sub) });

  it("is accepted if it is valid", async () => {
    expect(await present(jwt.sign({}, SECRET, options), verify)).toMatchObject(ACCEPTED);
  });

  const refused: Readonly<Record<string, string>> = {
    ...BROKEN,
    "an expiry in the past": jwt.sign({ exp: 1 }, SECRET, options),
    "an expiry that is not a number": jwt.sign('{"exp":"soon"}', SECRET, {
      header: { alg: "HS256", typ: "JWT" },
    }),
    "a start in the future": jwt.sign({ nbf: 9_999_999_999 }, SECRET, options),
    "a signature from another key": jwt.sign({}, `${SECRET}!`, options),
    "another issuer": jwt.sign({}, SECRET, { issuer: "https://other.example" }),
    "an algorithm that is not allowed": jwt.sign({}, SECRET, { ...options, algorithm: "HS512" }),
  };
  const verifyStrictly: Verify = (token) => ({
    id: String(jwt.verify(token, SECRET, { issuer: ISSUER, algorithms: ["HS256"] }).sub),
  });

  it.each(Object.entries(refused))("is refused with a challenge if it has %s", async (_, token) => {
    expect(await present(token, verifyStrictly)).toMatchObject(REFUSED);
  });

  it("is refused with the reason in the event", async () => {
    const { error } = await present(jwt.sign({ exp: 1 }, SECRET, options), verify);
    expect(error.message).toContain("jwt expired");
  });

  const mistakes: Readonly<Record<string, Verify>> = {
    "the key cannot be fetched": (token) =>
      new Promise((resolve, reject) => {
        jwt.verify(
          token,
          (_, done) => done(new Error("connect ECONNREFUSED")),
          (error, payload) => (error === null ? resolve({ id: String(payload) }) : reject(error)),
        );
      }),
    "no key is configured": (token) => ({ id: String(jwt.verify(token, undefined as never)) }),
    "the key is invalid": (token) => ({ id: String(jwt.verify(token, {} as never)) }),
    "an option of the library is wrong": (token) => ({
      id: String(jwt.verify(token, SECRET, { algorithms: ["HS256", "RS256"], maxAge: true as never })),
    }),
  };

  it.each(Object.entries(mistakes))("gets 503 if %s", async (_, mistaken) => {
    expect(await present(jwt.sign({}, SECRET, options), mistaken)).toMatchObject(UNAVAILABLE);
  });
});

describe("a bearer token verified by other code", () => {
  it.each([
    new SyntaxError("Unexpected token < in JSON at position 0"),
    new TypeError("fetch failed"),
    Object.assign(new Error("the token of this service has expired"), { name: "TokenExpiredError" }),
    Object.assign(new Error("timeout"), { code: "ERR_JWKS_TIMEOUT" }),
    { code: 42 },
    "down",
    undefined,
  ])("gets 503 if that code throws %s", async (thrown) => {
    for (const token of ["opaque", "opaque.with.dots", jwt.sign({}, SECRET)]) {
      const verify: Verify = () => {
        throw thrown;
      };
      expect(await present(token, verify)).toMatchObject(UNAVAILABLE);
    }
  });

  it("is judged by the same rules as an API key", async () => {
    const authorize = apiKey((key) => ({ id: String(jwt.verify(key, SECRET).sub) }));
    const service = createOrderService({ authorize });
    const ask = (key: string) => service.handle(toHttpRequest(submission({ fields: { "x-api-key": key } })));
    expect((await ask(jwt.sign({}, SECRET, { subject: "a" }))).status).toBe(202);
    const refused = await ask("garbage");
    expect([refused.status, typeOf(refused)]).toEqual([401, problemType("unauthenticated")]);
    expect(refused.headers["www-authenticate"]).toBe('ApiKey header="X-API-Key"');
  });
});

describe("known credentials", () => {
  const known = { "token-of-ann": "ann", "token-of-bob": { id: "bob", tenant: "acme" } };

  it.each([
    ["an id, which is also the tenant", "token-of-ann", "ann"],
    ["a principal", "token-of-bob", "acme"],
  ])("name %s", async (_, token, tenant) => {
    for (const [authorize, fields] of [
      [bearer(known), { authorization: `Bearer ${token}` }],
      [apiKey(known), { authorization: undefined, "x-api-key": token }],
    ] as const) {
      const backend = createMemoryBackend();
      const service = createOrderService({ authorize, backend, observe: false });
      expect((await service.handle(toHttpRequest(submission({ fields })))).status).toBe(202);
      expect(await backend.operations.list({ limit: 10 })).toMatchObject([{ tenant }]);
    }
  });
});
