// The process that makes the load; its arguments are one JSON object, and it prints its figures as load.lua does. It polls
// and never sleeps. A loader that sleeps has to be woken by each reply, which costs the server more than all its work for
// a small request, and costs a slow server more than a fast one, whose loader has no time to sleep.
import { randomUUID } from "node:crypto";
import { connect } from "node:net";

const { origin, path, seconds, connections, poll } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(origin);

const body = '{"itemId":"SKU-0001-BLUE","quantity":2}';
const fields = `Host: ${hostname}:${port}\r\nAuthorization: Bearer bench-token\r\nAccept: application/json\r\n`;
const readHead = `GET ${path} HTTP/1.1\r\n${fields}\r\n`;
const postHead = `POST /orders HTTP/1.1\r\n${fields}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;

/** A post has a key of its own every time. */
const toRequest =
  path === undefined ? () => `${postHead}Idempotency-Key: ${randomUUID()}\r\n\r\n${body}` : () => readHead;
const expected = `HTTP/1.1 ${path === undefined ? 202 : 200} `;

const latenciesMs = [];
let failed = 0;
let running = true;

/** Sends one request after the other over one connection. */
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
  if (length === undefined) throw new Error(`A reply without Content-Length: ${response}`);
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
