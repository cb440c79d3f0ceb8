/**
 * Two custom operations with valibot schemas: a report that shows progress, can be cancelled and has a checked result,
 * and a mailing. Run `npm run build:start && node examples/custom-operation/dist/server.js`, then
 *
 * curl -i localhost:3000/reports -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "report-1"' -d '{"year":2020}'
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  bearer,
  createService,
  createWorker,
  defineOperation,
  logEvents,
  permanentFailure,
} from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import * as v from "valibot";

const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: v.strictObject({ year: v.pipe(v.number(), v.integer(), v.minValue(2000)) }),
  // valibot cannot export a JSON Schema by itself, and the OpenAPI document needs one.
  jsonSchema: {
    type: "object",
    required: ["year"],
    properties: { year: { type: "integer", minimum: 2000 } },
    additionalProperties: false,
  },
  result: v.strictObject({ title: v.string(), pages: v.number() }),
  cancellable: true,
});

const mailings = defineOperation({
  name: "mailings",
  path: "/mailings",
  input: v.strictObject({ to: v.pipe(v.string(), v.email()) }),
  idempotencyKey: "required",
});

const service = createService({
  definitions: [reports, mailings],
  authorize: bearer({ "demo-token": "demo" }),
  observe: logEvents(console),
});
const worker = createWorker(service, {
  reports: async ({ year }, job) => {
    if (year >= new Date().getFullYear()) throw permanentFailure(`The year ${year} is not over.`);
    for (let months = 1; months <= 12; months += 1) {
      await sleep(100, undefined, { signal: job.signal });
      job.progress({ months });
    }
    return { title: `The year ${year}`, pages: 12 };
  },
  mailings: ({ to }) => ({ sent: to }),
});

const server = createServer(toNodeHandler(service)).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
await once(server, "listening");
await worker.start();
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

process.once("SIGTERM", () => closeServer(server, service));
