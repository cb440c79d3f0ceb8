import {
  type Backend,
  createService,
  createWorker,
  defineOrders,
  type HttpResponse,
  permanentFailure,
  retryLater,
  type WorkerOptions,
} from "async-request-reply";
import { createConsole } from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import { createWebhooks } from "async-request-reply/webhooks";
import { expect, it } from "vitest";
import { deepText } from "./deep-text.js";

/** Stands for personal data that a message quotes. */
const SECRET = "kanarie";

/** How the work of an order fails, by its item, and the reason that operators read. */
const FAILURES: Readonly<
  Record<string, { fail(): unknown; readonly message: string; readonly class: string }>
> = {
  exhausted: {
    fail: () => new TypeError(`no item ${SECRET}`),
    message: `The processor threw TypeError: no item ${SECRET}`,
    class: "The processor threw TypeError.",
  },
  refused: {
    fail: () => permanentFailure("Sold out.", new RangeError(`no item ${SECRET}`)),
    message: `PERMANENT_FAILURE: Sold out. (caused by RangeError: no item ${SECRET})`,
    class: "PERMANENT_FAILURE: Sold out.",
  },
  retried: {
    fail: () => retryLater({ afterMs: 3_600_000, cause: new Error(`busy with ${SECRET}`) }),
    message: `RETRY_LATER: The work will be retried later. (caused by Error: busy with ${SECRET})`,
    class: "RETRY_LATER: The work will be retried later.",
  },
};

/** Declares who can read the messages of errors, on a back end that each test opens. */
export function declareErrorTexts(open: () => Backend): void {
  it.each(["message", "class"] as const)("tells operators the %s, and clients nothing", async (errors) => {
    const stage = createErrorStage(open(), { errors });
    const reasons: Record<string, unknown> = {};
    for (const item of Object.keys(FAILURES)) {
      const id = await stage.fail(item);
      reasons[item] = (await stage.operator.get(id))?.lastError?.detail;
      const shown = deepText(await stage.shownToClients(id, item));
      expect(shown).toContain(id);
      expect(shown).not.toContain(SECRET);
    }
    const expected = Object.entries(FAILURES).map(([item, failure]) => [item, failure[errors]]);
    expect(reasons).toEqual(Object.fromEntries(expected));
    const isKept = errors === "message";
    const operators = [await stage.operator.list(), await stage.readConsole()].map(deepText);
    expect(operators.map((text) => text.includes(SECRET))).toEqual([isKept, isKept]);
    expect(stage.announced.length).toBe(2);
    await stage.close();
  });
}

function createErrorStage(backend: Backend, options: WorkerOptions) {
  const orders = defineOrders({ cancellable: true });
  const definitions = [orders] as const;
  const announced: string[] = [];
  const webhooks = createWebhooks({
    endpoint: () => ({ url: "https://hooks.example/", secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
    send: async ({ headers, body }) => {
      announced.push(JSON.stringify(headers) + body);
      return { status: 204 };
    },
  });
  const authorize = () => ({ id: "ann", tenant: "acme" });
  const service = createService({ definitions, backend, webhooks, authorize, list: true, observe: false });
  const run = ({ itemId }: { readonly itemId: string }): never => {
    throw FAILURES[itemId]?.fail();
  };
  const worker = createWorker(service, { orders: run }, { maxAttempts: 1, ...options });
  const retrying = createWorker(service, { orders: run }, { maxAttempts: 2, ...options });
  const operator = createOperator({ backend, definitions, observe: false });
  const page = createConsole({ operator, authorize: () => "observe", observe: false });
  const post = (item: string): Promise<HttpResponse> =>
    service.handle({
      method: "POST",
      path: "/orders",
      headers: { "content-type": "application/json", "idempotency-key": item },
      body: JSON.stringify({ itemId: item, quantity: 1 }),
    });
  const send = async (method: string, path: string, accept = "*/*"): Promise<unknown> => {
    const { body, ...reply } = await service.handle({ method, path, headers: { accept } });
    return [reply, body === undefined ? "" : await firstOf(body)];
  };
  return {
    operator,
    announced,
    fail: async (item: string): Promise<string> => {
      const { headers } = await post(item);
      await (item === "retried" ? retrying : worker).runUntilIdle();
      return (headers.location ?? "").slice("/operations/".length);
    },
    /** Returns everything that clients can read about an operation. */
    shownToClients: async (id: string, item: string): Promise<unknown> => [
      await post(item),
      await send("GET", `/operations/${id}`),
      await send("HEAD", `/operations/${id}`),
      await send("GET", `/operations/${id}`, "text/event-stream"),
      await send("GET", "/operations"),
      await service.get(orders, id, { tenant: "acme" }),
      item === "retried" || (await service.result(orders, id, { tenant: "acme" }).catch((error) => error)),
      announced,
      await send("DELETE", `/operations/${id}`),
    ],
    readConsole: () => page.handle({ method: "GET", path: "/api/operations?status=", headers: {} }),
    close: async () => {
      await page.close();
      await service.close();
    },
  };
}

/** Returns a body, or the first event of a stream. */
async function firstOf(body: NonNullable<HttpResponse["body"]>): Promise<string> {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body).toString();
  for await (const chunk of body) return Buffer.from(chunk).toString();
  return "";
}
