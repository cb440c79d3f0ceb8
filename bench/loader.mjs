// The process that generates the load. It takes one JSON object as its argument and prints the same figures as load.lua. It polls
// and never sleeps: waking a sleeping process for each reply would cost the server more than a small request, and would cost
// a slow server more than a fast one, whose loader has no time to sleep.
import { randomUUID } from "node:crypto";
import { connect } from "node:net";

const { origin, path, seconds, connections, poll } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(origin);

const body = '{"itemId":"SKU-0001-BLUE","quantity":2}';
const fields = `Host: ${hostname}:${port}\r\nAuthorization: Bearer bench-token\r\nAccept: application/json\r\n`;
const readHead = `GET ${path} HTTP/1.1\r\n${fields}\r\n`;
const postHead = `POST /orders HTTP/1.1\r\n${fields}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;

/** Every POST has a new key. */
const toRequest =
  path === undefined ? () => `${postHead}Idempotency-Key: ${randomUUID()}\r\n\r\n${body}` : () => readHead;
const expected = `HTTP/1.1 ${path === undefined ? 202 : 200} `;

const latenciesMs = [];
let failed = 0;
let running = true;

/** Sends one request at a time over one connection. */
function converse() {
  const socket = connect(Number(port), hostname);
  let received = "";
  let sentAt = 0;
  const send = () => {
    sentAt = performance.now();
    socket.write(toRequest(), "latin1");
  };
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("connect", send);
  socket.on("data", (text) => {
    received += text;
    if (!isWhole(received)) return;
    latenciesMs.push(performance.now() - sentAt);
    if (!received.startsWith(expected)) failed++;
    received = "";
    if (running) send();
  });
  socket.on("error", () => failed++);
}

function isWhole(response) {
  const headEnd = response.indexOf("\r\n\r\n");
  if (headEnd === -1) return false;
  const [, length] = /content-length: ([0-9]+)/i.exec(response) ?? [];
  if (length === undefined) throw new Error(`A reply has no Content-Length: ${response}`);
  return response.length >= headEnd + 4 + Number(length);
}

function keepAwake() {
  if (running) setImmediate(keepAwake);
}

for (let index = 0; index < connections; index++) converse();
if (poll) keepAwake();

const startedAt = performance.now();
setTimeout(() => {
  running = false;
  const tookSeconds = (performance.now() - startedAt) / 1e3;
  latenciesMs.sort((a, b) => a - b);
  const at = (share) => latenciesMs[Math.floor(latenciesMs.length * share)];
  console.log(
    JSON.stringify({
      requests: latenciesMs.length,
      failed,
      seconds: tookSeconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    }),
  );
  process.exit();
}, seconds * 1_000);
