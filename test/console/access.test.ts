import { forbidden, type ServiceEvent, unauthenticated } from "async-request-reply";
import { basic, type ConsoleAuthorize } from "async-request-reply/console";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { createConsoleStage, FROM_PAGE } from "./stage.js";

const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";
const PATHS = [
  "/",
  "/console.js",
  "/console",
  "/api/overview",
  "/api/operations",
  "/api/failures",
  "/api/events",
  "/api/nothing",
];

describe("a caller without access", () => {
  it.each(PATHS)("gets a 401 with a challenge for %s", async (path) => {
    const authorize: ConsoleAuthorize = Object.assign(() => undefined, { challenge: "Session" });
    const { send } = createConsoleStage("observe", { authorize });
    expect(await send({ path })).toMatchObject({ status: 401, headers: { "www-authenticate": "Session" } });
  });

  it.each([
    ["unauthenticated()", unauthenticated(), 401],
    ["forbidden()", forbidden(), 403],
    ["any other error", new Error("the session store is down"), 503],
  ])("gets the status of what authorize throws: %s", async (_, error, status) => {
    const { send } = createConsoleStage("observe", { authorize: () => Promise.reject(error) });
    const reply = await send({ path: "/" });
    expect(reply.status).toBe(status);
    expect(reply.body).not.toContain("session store");
  });

  it.each([
    [
      "something else, and the event says what",
      { id: "admin" },
      '`authorize` returned an object, not "observe", "operate", `{ access, id }` with one of them, or nothing.',
    ],
    [
      "an id that cannot be kept",
      { access: "operate", id: "" },
      "The `id` that `authorize` returned has 0 characters.",
    ],
  ])("gets a 503 if authorize returns %s", async (_, returned, message) => {
    const events: ServiceEvent[] = [];
    const authorize = () => returned as never;
    const { send } = createConsoleStage("observe", { authorize, observe: (event) => events.push(event) });
    expect((await send({ path: "/" })).status).toBe(503);
    expect(String((events[0] as { readonly error?: unknown }).error)).toContain(message);
  });

  it("gets a 503 if authorize does not answer within 10 s", async () => {
    const clock = createManualClock();
    const authorize: ConsoleAuthorize = () => new Promise(() => {});
    const { send } = createConsoleStage("observe", { authorize, runtime: { clock } });
    const reply = send({ path: "/" });
    await clock.advance(10_000);
    expect((await reply).status).toBe(503);
  });
});

describe("the event of a refused request", () => {
  it.each([
    ["GET", "/console/", "/"],
    ["GET", "/console/api/overview", "/api/overview"],
    ["GET", `/api/operations/${UNKNOWN}`, "/api/operations/{id}"],
    ["POST", `/console/api/operations/${UNKNOWN}/cancel`, "/api/operations/{id}/cancel"],
    ["GET", "/console/api/secret", undefined],
  ])("has the method and the pattern of the path: %s %s", async (method, path, route) => {
    const events: ServiceEvent[] = [];
    const observe = (event: ServiceEvent) => events.push(event);
    const { send } = createConsoleStage("observe", { authorize: () => undefined, observe });
    await send({ method, path });
    const refusal = {
      event: "request.refused",
      status: 401,
      code: "UNAUTHENTICATED",
      error: expect.anything(),
    };
    expect(events).toEqual([{ ...refusal, method, route }]);
  });
});

describe("a caller who may only observe", () => {
  it("cannot read /api/operations/ID/payload", async () => {
    const { send, submit } = createConsoleStage("observe");
    const id = await submit("complete", { note: "secret" });
    const reply = await send({ path: `/api/operations/${id}/payload` });
    expect(reply.status).toBe(403);
    expect(reply.body).not.toContain("secret");
  });

  it.each(["/api/operations/ID/cancel", "/api/operations/ID/redrive", "/api/redrives"])(
    "cannot change anything with %s",
    async (path) => {
      const { change, end, operator } = createConsoleStage("observe");
      const id = await end("throw");
      const reply = await change(path.replace("ID", id), { filter: { tenant: "a" } });
      expect(reply.status).toBe(403);
      expect((await operator.list()).operations).toHaveLength(1);
    },
  );

  it("sees no payload in lists and details", async () => {
    const { send, end, submit } = createConsoleStage("observe");
    const failed = await end("throw", { note: "secret" });
    const completed = await end("complete", { note: "secret" });
    await submit("complete", { note: "secret" });
    const details = [failed, completed].map((id) => `operations/${id}`);
    for (const path of ["overview", "operations", "failures", ...details]) {
      const reply = await send({ path: `/api/${path}` });
      expect(reply.status).toBe(200);
      expect(reply.body).not.toContain("secret");
    }
  });
});

describe("a change", () => {
  const own = { host: "ops.example", origin: "http://ops.example", "content-type": "application/json" };

  it.each<[string, number, Record<string, string>]>([
    ["the page on HTTPS or localhost", 200, FROM_PAGE],
    ["the page behind a proxy that changes Host", 200, { ...FROM_PAGE, ...own, host: "10.0.0.1" }],
    ["the page on plain HTTP, where browsers send only Origin", 200, own],
    ["another site", 403, { ...FROM_PAGE, "sec-fetch-site": "cross-site" }],
    ["another host of the same site", 403, { ...FROM_PAGE, "sec-fetch-site": "same-site" }],
    ["the address bar", 403, { ...FROM_PAGE, "sec-fetch-site": "none" }],
    ["another site that imitates Origin's host", 403, { ...own, origin: "http://ops.example.evil" }],
    ["another site, with Origin only", 403, { ...own, origin: "http://evil.example" }],
    ["a sandboxed frame", 403, { ...own, origin: "null" }],
    ["a client that sends neither field", 403, { "content-type": "application/json" }],
    ["a form", 415, { ...FROM_PAGE, "content-type": "text/plain" }],
    ["a client without a content type", 415, { "sec-fetch-site": "same-origin" }],
  ])("from %s gets %i", async (_, status, headers) => {
    const { send, end } = createConsoleStage();
    const path = `/api/operations/${await end("throw")}/redrive`;
    expect((await send({ method: "POST", path, headers, body: "{}" })).status).toBe(status);
  });

  it.each([
    ["GET", "/api/redrives", "POST"],
    ["GET", `/api/operations/${UNKNOWN}/cancel`, "POST"],
    ["POST", "/api/operations", "GET, HEAD"],
    ["POST", "/", "GET, HEAD"],
    ["OPTIONS", "/api/redrives", "POST"],
  ])("needs the right method: %s %s", async (method, path, allow) => {
    const { send } = createConsoleStage();
    expect(await send({ method, path, headers: FROM_PAGE })).toMatchObject({
      status: 405,
      headers: { allow },
    });
  });

  it.each(["", "{", "[]", "null", '{"filter":1}', '{"filter":{},"dryRun":"yes"}'])(
    "needs a well-formed body: %s",
    async (body) => {
      const { send } = createConsoleStage();
      const reply = await send({ method: "POST", path: "/api/redrives", headers: FROM_PAGE, body });
      expect(reply.status).toBe(400);
    },
  );

  it("refuses a body of more than 16 KiB", async () => {
    const { change } = createConsoleStage();
    expect((await change("/api/redrives", { filter: { tenant: "x".repeat(16_384) } })).status).toBe(413);
  });
});

describe("basic()", () => {
  const field = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
  const ask = async (authorization: string, authorize: ConsoleAuthorize): Promise<number> => {
    const { send } = createConsoleStage("observe", { authorize });
    return (await send({ path: "/", headers: { authorization } })).status;
  };

  it.each([
    ["the password", field("anyone:grün:1"), 200],
    ["another password", field("anyone:grün:2"), 401],
    ["no password", field("anyone"), 401],
    ["malformed base64", "Basic =", 401],
    ["malformed UTF-8", "Basic gICA", 401],
    ["another scheme", "Bearer grün:1", 401],
  ])("decides by the password: %s", async (_, authorization, status) => {
    expect(await ask(authorization, basic({ "grün:1": "observe" }))).toBe(status);
  });

  it("passes the user name and the password to a function", async () => {
    const authorize = basic(({ user, password }) =>
      user === "a" && password === "b" ? "observe" : undefined,
    );
    expect(await ask(field("a:b"), authorize)).toBe(200);
    expect(await ask(field("b:b"), authorize)).toBe(401);
  });

  it("makes browsers ask for a password", async () => {
    const { send } = createConsoleStage("observe", { authorize: basic({ secret: "observe" }) });
    expect(await send({ path: "/" })).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Basic realm="console", charset="UTF-8"' },
    });
  });

  it.each([undefined, null, "secret", {}, { "": "operate" }])("refuses %o", (verify) => {
    expect(() => basic(verify as never)).toThrow("basic()");
  });
});
