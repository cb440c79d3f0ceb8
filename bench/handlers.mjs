import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { load } from "./against/build.mjs";
import { createForgetfulBackend } from "./backends/forgetful.mjs";
import { createH3App } from "./h3-app.mjs";
import { createHonoApp } from "./hono-app.mjs";

const { toFetchHandler } = await load("fetch");
const { bearer, createMemoryBackend, createOrderService } = await load("index");

const CALLS_PER_TURN = 32;
const url = "http://127.0.0.1/orders";
const body = '{"itemId":"SKU-0001-BLUE","quantity":2}';

/** Measures a POST without sockets, with plain objects and with `Request` and `Response`. */
export function handlers() {
  const floor = ofRequests("Request and Response floor", () => async (request) => {
    return new Response(await request.text(), { status: 202 });
  });
  const plain = plainHandler("plain handler, nothing retained", createForgetfulBackend);
  const memory = plainHandler("plain handler, memory back end", createMemoryBackend);
  const fetch = fetchHandler("fetch handler, nothing retained", createForgetfulBackend);
  const hono = ofRequests("hono.fetch + zod-validator", () => createHonoApp({ retain: false }).fetch);
  const h3 = ofRequests("h3.fetch + zod", () => createH3App({ retain: false }).fetch);
  const subjects = [floor, plain, memory, fetch, hono, h3];
  const goals = [
    { goal: "G4", of: plain.name, atMostUs: 4.5 },
    { goal: "G4", of: fetch.name, to: floor.name, atMost: 1.4 },
    { goal: "G4", of: fetch.name, to: hono.name, atMost: 1.2 },
  ];
  return [{ title: "G4: handlers in process", subjects, goals }];
}

/** Creates `Request` objects, as a platform would. Their cost is part of the measurement. */
function ofRequests(name, createHandler) {
  return {
    name,
    begin: () => {
      const handle = createHandler();
      return each((init) => handle(new Request(url, init)));
    },
    input: () => ({ method: "POST", headers: fields(), body }),
    check,
  };
}

/** A POST through the Fetch adapter. */
export function fetchHandler(name, createBackend) {
  return ofRequests(name, () => toFetchHandler(orderService(createBackend)));
}

/** A POST as a plain object. */
export function plainHandler(name, createBackend) {
  return {
    name,
    begin: () => {
      const service = orderService(createBackend);
      return each((request) => service.handle(request));
    },
    input: () => ({ method: "POST", path: "/orders", headers: Object.entries(fields()).flat(), body }),
    check,
  };
}

function check({ status }) {
  assert.equal(status, 202);
}

function orderService(createBackend) {
  return createOrderService({ authorize: bearer({ "bench-token": "bench" }), backend: createBackend() });
}

/** The key is a flat string, as from a socket. `randomUUID` returns a rope that V8 flattens on first use. */
function fields() {
  return {
    authorization: "Bearer bench-token",
    accept: "application/json",
    "content-type": "application/json",
    "idempotency-key": Buffer.from(randomUUID(), "latin1").latin1Slice(),
  };
}

/** Calls with one input after the other and returns the last answer. Yields to the event loop now and then, as a server does. */
function each(call) {
  return async (inputs) => {
    let answer;
    for (const [index, input] of inputs.entries()) {
      answer = await call(input);
      if (index % CALLS_PER_TURN === 0) await nextTurn();
    }
    return answer;
  };
}
