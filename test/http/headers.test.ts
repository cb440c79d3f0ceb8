import { bearer, createOrderService, type HttpRequest, type OrderServiceOptions } from "async-request-reply";
import { type HeaderFields, problemType } from "async-request-reply/ports";
import { describe, expect, it, vi } from "vitest";

const fields = {
  Authorization: "Bearer token",
  "Content-Type": "application/json",
  "Idempotency-Key": "k",
} as const;
const post: Omit<HttpRequest, "headers"> = {
  method: "POST",
  path: "/orders",
  body: '{"itemId":"book","quantity":2}',
};

const submit = (headers: HeaderFields, options: Partial<OrderServiceOptions> = {}) =>
  createOrderService({ authorize: bearer({ token: "a" }), ...options }).handle({ ...post, headers });

/** Header fields that can only be looked up by name. */
function lookedUpByName(known: Readonly<Record<string, string>>, asked: string[] = []): HeaderFields {
  const byName = new Map(Object.entries(known).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    get: (name: string) => {
      asked.push(name);
      return byName.get(name) ?? null;
    },
  };
}

describe("request fields that are looked up by name", () => {
  it("can be `Headers` of the Fetch API", async () => {
    const service = createOrderService({ authorize: bearer({ token: "a" }) });
    const request = { ...post, headers: new Headers(fields) };
    expect((await service.handle(request)).status).toBe(202);
    expect((await service.handle(request)).headers["idempotent-replayed"]).toBe("true");
  });

  it("can be any object with `get`, which only receives names in lower case", async () => {
    const asked: string[] = [];
    const seesKey: OrderServiceOptions["authorize"] = ({ header }) => ({ id: header("X-API-Key") ?? "" });
    const headers = lookedUpByName({ ...fields, "X-API-Key": "a" }, asked);
    expect((await submit(headers, { authorize: seesKey })).status).toBe(202);
    expect(asked).toContain("x-api-key");
    expect(asked).toContain("idempotency-key");
    expect(asked.filter((name) => name !== name.toLowerCase())).toEqual([]);
  });

  it("are read with `get` called as a method of its object", async () => {
    class Fields {
      readonly #known = new Headers(fields);
      get(name: string): string | null {
        return this.#known.get(name);
      }
    }
    expect((await submit(new Fields())).status).toBe(202);
  });

  it("are absent if `get` returns null, and present if it returns an empty string", async () => {
    const { "Content-Type": _, ...untyped } = fields;
    expect((await submit(lookedUpByName(untyped))).status).toBe(415);
    expect((await submit(lookedUpByName({}))).status).toBe(401);
    const { "Idempotency-Key": __, ...unkeyed } = fields;
    expect((await submit(lookedUpByName(unkeyed))).status).toBe(202);
    expect((await submit(lookedUpByName({ ...unkeyed, "Idempotency-Key": "" }))).status).toBe(400);
  });

  it("are refused if repeated lines of a single-value field were joined", async () => {
    const statusWith = async (name: string, value: string) => {
      const headers = new Headers(fields);
      headers.append(name, value);
      return (await submit(headers)).status;
    };
    expect(await statusWith("Idempotency-Key", "k")).toBe(400);
    expect(await statusWith("Content-Type", "application/json")).toBe(415);
    expect(await statusWith("Authorization", "Bearer token")).toBe(401);
    expect(await statusWith("Accept", "text/html")).toBe(406);
  });

  it("reveal a body over the limit through Content-Length", async () => {
    const options = { maxBodyBytes: 100 };
    expect((await submit(lookedUpByName({ ...fields, "Content-Length": "101" }), options)).status).toBe(413);
    expect((await submit(lookedUpByName({ ...fields, "Content-Length": "100" }), options)).status).toBe(202);
  });
});

it("treats an object with a string member named get as plain fields", async () => {
  expect((await submit({ ...fields, get: "x" })).status).toBe(202);
  expect((await submit({ get: "x" })).status).toBe(401);
});

describe("more than 1,000 fields", () => {
  const others = (count: number) => Array.from({ length: count }, (_, index) => [`x${index}`, "1"] as const);
  const pairs = Object.entries(fields);
  const listOf = (count: number) => [...others(count - pairs.length), ...pairs];

  it.each<[string, (count: number) => HeaderFields]>([
    ["pairs", listOf],
    ["a flat list", (count) => listOf(count).flat()],
  ])("are refused before authorize when passed as %s, while 1,000 are read", async (_, form) => {
    const authorize = vi.fn(() => ({ id: "a" }));
    expect((await submit(form(1_000), { authorize })).status).toBe(202);
    expect(authorize).toHaveBeenCalledOnce();
    const { status, body } = await submit(form(1_001), { authorize });
    const type = problemType("too-many-header-fields");
    expect([status, JSON.parse(String(body))]).toMatchObject([431, { type, status: 431 }]);
    expect(authorize).toHaveBeenCalledOnce();
  });

  it("are assumed if the platform reports that it may have dropped some", async () => {
    const service = createOrderService({ authorize: bearer({ token: "a" }) });
    const reply = await service.handle({ ...post, headers: pairs, headersTruncated: true });
    expect(reply.status).toBe(431);
  });
});
