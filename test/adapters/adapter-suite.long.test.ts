import type { HttpRequest, HttpResponse } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/testing/manual-clock.js";
import { adapterCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import type { AdapterCase, AdapterHarness } from "../support/adapter-suite/fixtures/adapter-case.js";
import { createPlainHarness, type Handle } from "../support/plain-harness.js";

/** A mistake that an adapter might make. */
type Fault = (handle: Handle) => Handle;

const onReply =
  (change: (reply: HttpResponse, request: HttpRequest) => HttpResponse): Fault =>
  (handle) =>
  async (request) =>
    change(await handle(request), request);

const onRequest =
  (change: (request: HttpRequest) => HttpRequest): Fault =>
  (handle) =>
  (request) =>
    handle(change(request));

function without(name: string): Fault {
  return onReply(({ headers, ...reply }) => {
    const { [name]: _, ...others } = headers;
    return { ...reply, headers: others };
  });
}

const lines = ({ headers }: HttpRequest): (readonly [string, string])[] => [
  ...(headers as readonly (readonly [string, string])[]),
];

const STATUSES = [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 429, 503];
const FIELDS = [
  "accept",
  "accept-encoding",
  "allow",
  "cache-control",
  "content-type",
  "deprecation",
  "etag",
  "idempotent-replayed",
  "link",
  "location",
  "operation-location",
  "retry-after",
  "sunset",
  "vary",
  "www-authenticate",
  "x-accel-buffering",
  "x-content-type-options",
];

const faults: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    STATUSES.map((status) => [
      `turns ${status} into another status`,
      onReply((reply) => (reply.status === status ? { ...reply, status: status + 50 } : reply)),
    ]),
  ),
  ...Object.fromEntries(FIELDS.map((name) => [`loses the field ${name} of replies`, without(name)])),
  "loses the body of replies": onReply(({ status, headers }) => ({ status, headers })),
  "gives HEAD a body": onReply((reply, { method }) => (method === "HEAD" ? { ...reply, body: "x" } : reply)),
  "takes the first of repeated fields": onRequest((request) => ({
    ...request,
    headers: [...new Map(lines(request).reverse())],
  })),
  "takes the last of repeated fields": onRequest((request) => ({
    ...request,
    headers: [...new Map(lines(request))],
  })),
  "loses the fields of requests": onRequest((request) => ({ ...request, headers: [] })),
  "loses the body of requests": onRequest(({ body: _, ...request }) => request),
  "removes slashes from the end of the path": onRequest((request) => ({
    ...request,
    path: request.path.replace(/\/+$/, ""),
  })),
  "honors X-HTTP-Method-Override": onRequest((request) => ({
    ...request,
    method: lines(request).find(([name]) => name === "x-http-method-override")?.[1] ?? request.method,
  })),
  "repairs invalid UTF-8": onRequest((request) =>
    request.body instanceof Uint8Array
      ? { ...request, body: Buffer.from(request.body).toString("utf8") }
      : request,
  ),
  "drops a byte order mark": onRequest((request) =>
    request.body instanceof Uint8Array
      ? { ...request, body: new TextDecoder().decode(request.body) }
      : request,
  ),
  "parses JSON before the service does": onRequest((request) => {
    try {
      return { ...request, body: JSON.stringify(JSON.parse(request.body as string)) };
    } catch {
      return request;
    }
  }),
};

describe("the adapter suite on plain objects", () => {
  declareAdapterCases(createPlainHarness());
});

describe("the adapter suite", () => {
  /** The cases that pass without a fault. A case that fails anyway would seem to catch every fault. */
  let passingCases: Promise<readonly AdapterCase[]> | undefined;

  it("gives every case its own name and the source of its rule", () => {
    const names = adapterCases.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(adapterCases.filter(({ rule }) => !/^(RFC \d|draft-|spec §|docs\/)/.test(rule))).toEqual([]);
  });

  it("has no case that passes if every reply is wrong", async () => {
    const wrong = createPlainHarness(() => async () => ({ status: 599, headers: {} }));
    const passed: string[] = [];
    const runnable = adapterCases.filter(({ needs = [] }) => !needs.includes("sockets"));
    // Some cases wait for something that such an adapter never does. They do not pass either.
    for (const { name, run } of runnable)
      void run(wrong).then(
        () => passed.push(name),
        () => {},
      );
    const clock = createManualClock();
    for (let turn = 0; turn < 200; turn += 1) await clock.advance(1);
    expect(passed).toEqual([]);
    expect(runnable.length).toBeGreaterThan(200);
  });

  it.each(Object.entries(faults))("catches an adapter that %s", async (_, fault) => {
    passingCases ??= passing(createPlainHarness());
    expect(await firstFailure(await passingCases, createPlainHarness(fault))).toEqual(expect.any(String));
  });
});

async function passing(harness: AdapterHarness): Promise<readonly AdapterCase[]> {
  const runnable = adapterCases.filter(({ needs = [] }) => !needs.includes("sockets"));
  const results = await Promise.allSettled(runnable.map(({ run }) => run(harness)));
  return runnable.filter((_, index) => results[index]?.status === "fulfilled");
}

/**
 * Returns the name of the first case that fails. Does not wait for the others, because a broken adapter may never
 * finish.
 */
function firstFailure(cases: readonly AdapterCase[], harness: AdapterHarness): Promise<string | undefined> {
  const failures = cases.map(({ name, run }) =>
    run(harness).then(
      () => Promise.reject(new Error("passed")),
      () => name,
    ),
  );
  return Promise.any(failures).catch(() => undefined);
}
