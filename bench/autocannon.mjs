// The load where wrk is missing. Its figures are printed as those of load.lua are.
import { randomUUID } from "node:crypto";
import autocannon from "autocannon";

const { origin, path, seconds, connections } = JSON.parse(process.argv[2]);
const headers = { authorization: "Bearer bench-token", accept: "application/json" };

const read = { method: "GET", path, headers };
const post = {
  method: "POST",
  path: "/orders",
  headers: { ...headers, "content-type": "application/json" },
  body: '{"itemId":"SKU-0001-BLUE","quantity":2}',
  setupRequest: (request) => ({
    ...request,
    headers: { ...request.headers, "idempotency-key": randomUUID() },
  }),
};

const result = await autocannon({
  url: origin,
  connections,
  duration: seconds,
  requests: [path === undefined ? post : read],
});
console.log(
  JSON.stringify({
    requests: result.requests.total,
    failed: result.errors + result.timeouts + result.non2xx,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }),
);
