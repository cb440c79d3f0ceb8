import {
  bearer,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type HttpRequest,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import { request, submission, TOKENS } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toHttpRequest } from "../support/plain-harness.js";
import { createProcess } from "./service-process.js";

const UNKNOWN = "01980000-0000-7000-8000-000000000000";

describe("S13: text of a request", () => {
  const MARK = "mark7f3a";

  it("never appears in a header field of a reply", async () => {
    const requests: HttpRequest[] = [
      submission({ fields: { "idempotency-key": MARK } }),
      submission({ fields: { "idempotency-key": `"${MARK}` } }),
      submission({ fields: { "content-type": `application/${MARK}` } }),
      submission({ fields: { "content-type": `application/json;charset=${MARK}` } }),
      submission({ fields: { "content-encoding": MARK } }),
      submission({ fields: { accept: `text/${MARK}` } }),
      submission({ fields: { authorization: `Bearer ${MARK}` } }),
      submission({ fields: { authorization: MARK } }),
      submission({
        fields: { host: `${MARK}.example`, "x-forwarded-host": MARK, "x-forwarded-prefix": `/${MARK}` },
      }),
      submission({
        fields: { origin: `https://${MARK}`, referer: MARK, "x-request-id": MARK, cookie: MARK },
      }),
      submission({ path: `/orders?${MARK}=${MARK}&access_token=${MARK}#${MARK}` }),
      submission({ path: `/${MARK}` }),
      submission({ method: MARK }),
      submission({ body: `{"itemId":"${MARK}","quantity":1}` }),
      submission({ body: `{"itemId":"${MARK}","${MARK}":1}` }),
      submission({ body: `{"${MARK}":1,"${MARK}":1}` }),
      submission({ body: MARK }),
      request("GET", `/operations/${MARK}`),
      request("GET", `/operations/${UNKNOWN}`, { "if-none-match": `"${MARK}"` }),
      request("OPTIONS", "/orders", {
        "access-control-request-headers": MARK,
        "access-control-request-method": MARK,
      }),
    ].map(toHttpRequest);
    const service = createOrderService({ authorize: bearer(TOKENS) });
    const seen = new Set<number>();
    for (const each of requests) {
      const { status, headers } = await service.handle(each);
      seen.add(status);
      expect(JSON.stringify(headers)).not.toContain(MARK);
      for (const value of Object.values(headers)) expect(value).toMatch(/^[\t\x20-\x7e]*$/);
    }
    expect([...seen].sort()).toEqual([202, 204, 400, 401, 404, 405, 406, 415, 422]);
  });

  it("never appears in the status reply unless the processor returns it", async () => {
    const { service, submit, read } = createProcess(createMemoryBackend());
    const body = `{"itemId":"${MARK}","quantity":1}`;
    const { headers } = await submit({ body, fields: { "idempotency-key": MARK } });
    await createWorker(service, { orders: () => ({ ok: true }) }).runUntilIdle();
    expect(JSON.stringify(await read(headers.location ?? ""))).not.toContain(MARK);
  });
});
