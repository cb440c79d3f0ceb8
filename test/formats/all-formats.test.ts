import { allowAnonymous, createMemoryBackend, createOrderService } from "async-request-reply";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allFormats, besidesJson, readOrder, writeOrder } from "../support/all-formats.js";
import { allOperations } from "../support/all-operations.js";
import { invalidOrder, validOrder } from "./generated-orders.js";

const mediaTypes = Object.keys(allFormats);
const order = { itemId: "book", quantity: 2 };

function createOrders() {
  const backend = createMemoryBackend();
  const service = createOrderService({ authorize: allowAnonymous(), backend, formats: besidesJson });
  const send = (body: string, headers: Readonly<Record<string, string>>) =>
    service.handle({ method: "POST", path: "/orders", headers, body });
  return {
    recorded: () => allOperations(backend.operations),
    send,
    post: async (contentType: string, body: string, key?: string) => {
      const reply = await send(body, { "content-type": contentType, ...(key && { "idempotency-key": key }) });
      return { ...reply, value: JSON.parse(String(reply.body)) as Record<string, unknown> };
    },
  };
}

const [JSON_TYPE = "", YAML = "", XML = "", YANG_JSON = "", YANG_XML = ""] = mediaTypes;

/** The outcome for an order that was written in one format and declared as another. */
const mismatches: readonly (readonly [declared: string, written: string, verdict: string])[] = [
  [JSON_TYPE, YAML, "malformed-body"],
  [JSON_TYPE, XML, "malformed-body"],
  // Valid JSON, but not an order.
  [JSON_TYPE, YANG_JSON, "contract-violation"],
  [JSON_TYPE, YANG_XML, "malformed-body"],
  // The one exception: JSON is valid YAML with the same meaning.
  [YAML, JSON_TYPE, "accepted"],
  // One plain scalar, which is a string in YAML.
  [YAML, XML, "contract-violation"],
  [YAML, YANG_JSON, "contract-violation"],
  [YAML, YANG_XML, "contract-violation"],
  [XML, JSON_TYPE, "malformed-body"],
  [XML, YAML, "malformed-body"],
  [XML, YANG_JSON, "malformed-body"],
  // Well-formed, but the root is in a namespace.
  [XML, YANG_XML, "contract-violation"],
  [YANG_JSON, JSON_TYPE, "contract-violation"],
  [YANG_JSON, YAML, "malformed-body"],
  [YANG_JSON, XML, "malformed-body"],
  [YANG_JSON, YANG_XML, "malformed-body"],
  [YANG_XML, JSON_TYPE, "malformed-body"],
  [YANG_XML, YAML, "malformed-body"],
  [YANG_XML, XML, "contract-violation"],
  [YANG_XML, YANG_JSON, "malformed-body"],
];

const pairs = mismatches.map(([declared, type, verdict]) => ({ declared, type, verdict }));

describe("a body that is declared as another type", () => {
  it("is tested for every ordered pair", () => {
    expect(pairs).toHaveLength(mediaTypes.length * (mediaTypes.length - 1));
  });

  it.each(pairs)("$type declared as $declared: $verdict", async ({ declared, type, verdict }) => {
    const { post, recorded } = createOrders();
    const { status, value } = await post(declared, writeOrder(type, order));
    const name = status === 202 ? "accepted" : String(value.type).split("#")[1];
    expect(name).toBe(verdict);
    expect(await recorded()).toHaveLength(verdict === "accepted" ? 1 : 0);
  });
});

describe("an order", () => {
  it("is one operation in any combination of formats with one key", async () => {
    const { post, recorded } = createOrders();
    const ids = new Set<unknown>();
    for (const type of mediaTypes) {
      const { status, value } = await post(type, writeOrder(type, order), "one-key");
      expect([type, status]).toEqual([type, 202]);
      ids.add(value.operationId);
    }
    expect(ids.size).toBe(1);
    expect(await recorded()).toHaveLength(1);
  });

  it("differs from an order with another quantity, in any format", async () => {
    const { post } = createOrders();
    await post("application/json", writeOrder("application/json", order), "one-key");
    for (const type of mediaTypes) {
      const { status, value } = await post(type, writeOrder(type, { ...order, quantity: 3 }), "one-key");
      const reused = expect.stringMatching(/#idempotency-key-reused$/);
      expect([type, status, value.type]).toEqual([type, 422, reused]);
    }
  });

  it.each(mediaTypes)("is read back from %s unchanged", (type) => {
    fc.assert(
      fc.property(validOrder, (generated) => {
        expect(readOrder(type, writeOrder(type, generated))).toEqual(generated);
      }),
    );
  });

  it("that violates the contract is rejected with the same pointers in every format", async () => {
    const { post, recorded } = createOrders();
    await fc.assert(
      fc.asyncProperty(invalidOrder, async (generated) => {
        const pointers: unknown[] = [];
        for (const type of mediaTypes) {
          const { status, value } = await post(type, writeOrder(type, generated));
          const errors = (value.errors ?? []) as readonly { readonly pointer: string }[];
          pointers.push([status, errors.map(({ pointer }) => pointer).sort()]);
        }
        expect(pointers[0]).toEqual([422, expect.any(Array)]);
        expect(pointers).toEqual(pointers.map(() => pointers[0]));
      }),
    );
    expect(await recorded()).toEqual([]);
  });

  it("is answered in each format, refusals included, and the reply says that it depends on Accept", async () => {
    const { send } = createOrders();
    for (const [type, { problemMediaType }] of Object.entries(allFormats)) {
      const fields = { "content-type": "application/json", accept: type };
      const accepted = await send(JSON.stringify(order), fields);
      expect([accepted.status, accepted.headers["content-type"]]).toEqual([202, type]);
      const refused = await send("{}", fields);
      expect([refused.status, refused.headers["content-type"]]).toEqual([422, problemMediaType]);
      expect([accepted.headers.vary, refused.headers.vary]).toEqual(["accept", "accept"]);
    }
  });

  it("that violates the contract is reported by its YANG node, if the client accepts YANG data", async () => {
    const { send } = createOrders();
    const fields = { "content-type": JSON_TYPE, accept: YANG_JSON };
    const { body } = await send('{"itemId":"book","quantity":0}', fields);
    expect(JSON.parse(String(body))).toMatchObject({
      "ietf-restconf:errors": { error: [{ "error-path": "/order-submission:order/quantity" }] },
    });
  });
});
