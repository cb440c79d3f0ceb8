import {
  bearer,
  createOrderService,
  type HttpRequest,
  type HttpResponse,
  type OrderServiceOptions,
} from "async-request-reply";
import { type HeaderFields, problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";

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

function submit(headers: HeaderFields, options: Partial<OrderServiceOptions> = {}): Promise<HttpResponse> {
  return createOrderService({ authorize: bearer({ token: "a" }), ...options }).handle({ ...post, headers });
}

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
    const joined = (name: string, value: string): HeaderFields => {
      const headers = new Headers(fields);
      headers.append(name, value);
      return headers;
    };
    expect((await submit(joined("Idempotency-Key", "k"))).status).toBe(400);
    expect((await submit(joined("Content-Type", "application/json"))).status).toBe(415);
    expect((await submit(joined("Authorization", "Bearer token"))).status).toBe(401);
    expect((await submit(joined("Accept", "text/html"))).status).toBe(406);
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
  const forms: Readonly<Record<string, (count: number) => HeaderFields>> = {
    pairs: (count) => [...others(count - pairs.length), ...pairs],
    "a flat list": (count) => [...others(count - pairs.length), ...pairs].flat(),
  };

  it.each(Object.entries(forms))(
    "are refused before authorize when passed as %s, while 1,000 are read",
    async (_, form) => {
      let asked = 0;
      const authorize: OrderServiceOptions["authorize"] = () => {
        asked += 1;
        return { id: "a" };
      };
      expect((await submit(form(1_000), { authorize })).status).toBe(202);
      expect(asked).toBe(1);
      const { status, body } = await submit(form(1_001), { authorize });
      expect([status, JSON.parse(String(body))]).toMatchObject([
        431,
        { type: problemType("too-many-header-fields"), status: 431 },
      ]);
      expect(asked).toBe(1);
    },
  );

  it("are assumed if the platform reports that it may have dropped some", async () => {
    const service = createOrderService({ authorize: bearer({ token: "a" }) });
    const reply = await service.handle({ ...post, headers: pairs, headersTruncated: true });
    expect(reply.status).toBe(431);
  });
});
