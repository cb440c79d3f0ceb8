import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { expressVersions } from "../support/express-apps.js";
import { signalOf } from "../support/worker-stage.js";
import { type Arrange, mountExpress } from "./express-orders.js";
import { comparable, idOf } from "./predictable-service.js";
import { refuseWithField } from "./unwritable-field.js";

/** A route of the application that shows it was reached. */
function route(_req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(200).end("the application");
}

const MONITOR = `/operations/${idOf(1)}`;

describe.each(expressVersions)("S18: the Express adapter on Express $version", ({ express }) => {
  /** Mounts a handler under a path, or under several. */
  const under = (path: string | readonly string[], handler: unknown): unknown => {
    const router = express.Router();
    router.use(path, handler);
    return router;
  };
  const onItsPaths: Arrange = (handler) => [under(["/orders", "/operations"], handler), route];

  it("serves requests under its mount path if that is the service's basePath", async () => {
    const { send, errors } = await mountExpress(express, (handler) => [under("/api/v1", handler), route], {
      basePath: "/api/v1",
    });
    const accepted = await send(submission({ path: "/api/v1/orders?a=b" }));
    expect(accepted.status).toBe(202);
    expect(accepted.headers).toContainEqual(["location", `/api/v1${MONITOR}`]);
    expect((await send(request("GET", `/api/v1${MONITOR}`))).status).toBe(200);
    expect((await send(submission({ path: "/orders" }))).body).toBe("the application");
    expect(errors).toEqual([]);
  });

  it("serves requests under nested mount paths", async () => {
    const nested = (handler: unknown): unknown => under("/api", under("/v1", under("/orders", handler)));
    const { send } = await mountExpress(express, (handler) => [nested(handler)], { basePath: "/api/v1" });
    expect((await send(submission({ path: "/api/v1/orders" }))).status).toBe(202);
  });

  it("reports a mount path that differs from the basePath to the application", async () => {
    const { send, errors } = await mountExpress(express, (handler) => [under("/api/v1", handler), route]);
    expect((await send(submission({ path: "/api/v1/orders" }))).status).toBe(500);
    expect((await send(request("GET", `/api/v1${MONITOR}`))).status).toBe(500);
    for (const error of errors)
      expect(error).toMatchObject({
        code: "INVALID_OPTION",
        detail: expect.stringContaining('Pass `basePath: "/api/v1"` to createService'),
      });
    expect(errors).toHaveLength(2);
    // The service has no resource at these paths under any mount path.
    expect((await send(request("GET", "/api/v1/else"))).status).toBe(404);
    expect((await send(request("GET", "/else"))).body).toBe("the application");
  });

  it("does not report an unknown path from a client as a mounting mistake", async () => {
    const { send, errors } = await mountExpress(express, (handler) => [
      under("/orders", handler),
      under("/operations", handler),
    ]);
    for (const path of ["/orders/orders", `/operations${MONITOR}`, `/orders${MONITOR}`])
      expect((await send(request("GET", path))).status).toBe(404);
    expect(errors).toEqual([]);
  });

  it("leaves all other paths to the application if it is mounted on the service's paths only", async () => {
    const { send, errors } = await mountExpress(express, onItsPaths);
    expect((await send(submission())).status).toBe(202);
    expect((await send(request("GET", MONITOR))).status).toBe(200);
    expect((await send(request("GET", `http://shop.example${MONITOR}`))).status).toBe(200);
    for (const path of ["/", "/ordersx", "/order", "/shop/orders", "/operationsx/1"])
      expect((await send(request("GET", path))).body).toBe("the application");
    expect(errors).toEqual([]);
  });

  it("answers 404 to paths below its own and to other spellings of them", async () => {
    const { send, errors } = await mountExpress(express, onItsPaths);
    for (const path of ["/orders/", "/orders/1", "/Orders", "/operations", "/operations/a/b"]) {
      const { status, headers } = await send(request("GET", path));
      expect([path, status]).toEqual([path, 404]);
      expect(headers).toContainEqual(["content-type", "application/problem+json"]);
    }
    expect(errors).toEqual([]);
  });

  it("never reads req.query", async () => {
    const withoutQuery = (req: IncomingMessage, _res: ServerResponse, next: () => void): void => {
      Object.defineProperty(req, "query", { get: () => expect.unreachable("req.query was read") });
      next();
    };
    const { send, errors } = await mountExpress(express, (handler) => [withoutQuery, handler]);
    expect((await send(submission({ path: "/orders?itemId=pen" }))).status).toBe(202);
    expect((await send(request("GET", `${MONITOR}?status=failed`))).status).toBe(200);
    expect(errors).toEqual([]);
  });

  it("answers refusals itself and passes none of them to the application's error handler", async () => {
    const { send, errors } = await mountExpress(express, (handler) => [handler], {
      maxBodyBytes: 100,
      admit: ({ path }) => (path === "/orders?busy" ? { status: 429, retryAfterSeconds: 1 } : undefined),
    });
    const refusals = {
      400: submission({ body: "{" }),
      401: submission({ fields: { authorization: undefined } }),
      404: submission({ path: "/nothing" }),
      405: request("PUT", "/orders"),
      406: submission({ fields: { accept: "text/html" } }),
      413: submission({ body: "x".repeat(101) }),
      415: submission({ fields: { "content-type": "text/html" } }),
      422: submission({ body: "[]" }),
      429: submission({ path: "/orders?busy" }),
    };
    for (const [status, refused] of Object.entries(refusals))
      expect((await send(refused)).status).toBe(Number(status));
    expect(errors).toEqual([]);
  });

  it("answers an empty 500, with the application's own fields, if a hook returns a field that cannot be sent", async () => {
    const identify = (_req: IncomingMessage, res: ServerResponse, next: () => void): void => {
      res.setHeader("x-request-id", "7");
      next();
    };
    const options = refuseWithField("7\r\nset-cookie: a=b");
    const { send, errors } = await mountExpress(express, (handler) => [identify, handler], options);
    const reply = comparable(await send(submission()));
    expect(reply).toEqual({ status: 500, headers: [["x-request-id", "7"]], body: "" });
    expect(errors).toEqual([]);
  });

  it("does not touch a reply that the application has already begun", async () => {
    const allowed = signalOf();
    const impatient = (_req: IncomingMessage, res: ServerResponse, next: () => void): void => {
      next();
      res.writeHead(503).write("the application ");
      allowed.resolve();
      setImmediate(() => res.end("was faster"));
    };
    const { send } = await mountExpress(express, (handler) => [impatient, handler], {
      authorize: async () => {
        await allowed.promise;
        return { id: "a" };
      },
    });
    const { status, body } = await send(request("GET", MONITOR));
    expect([status, body]).toEqual([503, "the application was faster"]);
  });
});
