import assert from "node:assert/strict";
import { allowAnonymous, createOrderService } from "../dist/index.js";
import { xmlFormat } from "../dist/xml.js";
import { yamlFormat } from "../dist/yaml.js";
import { orderYangFormats } from "../dist/yang.js";
import { createForgetfulBackend } from "./backends/forgetful.mjs";
import { printRows } from "./report.mjs";

const BOUND_MS = 50;
const WARM_UP = 2;
const SAMPLES = 7;
const BODY_BYTES = 65_536;

const yaml = "application/yaml";
const xml = "application/xml";
const json = "application/json";

/** Bodies within the size limit that are known to overload some parser of their format. */
const bodies = [
  { name: "billion laughs by aliases", type: yaml, body: laughs() },
  { name: "1,000 bytes of `? `", type: yaml, body: "? ".repeat(500) },
  { name: "64 KiB of `? `", type: yaml, body: "? ".repeat(BODY_BYTES / 2) },
  { name: "merge keys of merge keys", type: yaml, body: mergeKeys() },
  { name: "64 KiB of names", type: yaml, body: filled((index) => `k${index}: 1\n`) },
  { name: "64 KiB of `[`", type: yaml, body: "[".repeat(BODY_BYTES) },
  { name: "64 KiB of quotes", type: yaml, body: '"'.repeat(BODY_BYTES) },
  {
    name: "an external entity",
    type: xml,
    body: `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hosts">]><a>&x;</a>`,
  },
  { name: "billion laughs by entities", type: xml, body: entities() },
  { name: "21,000 open tags", type: xml, body: "<a>".repeat(BODY_BYTES / 3) },
  { name: "64 KiB of elements", type: xml, body: `<order>${filled((index) => `<k${index}/>`, 20)}</order>` },
  { name: "64 KiB of attributes", type: xml, body: `<order ${filled((index) => `a${index}="" `, 20)}/>` },
  {
    name: "64 KiB of namespaces",
    type: xml,
    body: `<order ${filled((index) => `xmlns:a${index}="b" `, 20)}/>`,
  },
  {
    name: "64 KiB of references",
    type: xml,
    body: `<order><itemId>${filled(() => "&amp;", 40)}</itemId></order>`,
  },
  { name: "64 KiB of names", type: json, body: `{${filled((index) => `"k${index}":1,`, 10)}"k":1}` },
  { name: "64 KiB of `[`", type: json, body: "[".repeat(BODY_BYTES) },
  { name: "64 KiB of backslashes", type: json, body: `"${"\\".repeat(BODY_BYTES - 2)}"` },
];

/** Measures how long a service takes to reply to bodies that were made to keep it busy. */
export async function printHostileBodies() {
  const service = createOrderService({
    authorize: allowAnonymous(),
    backend: createForgetfulBackend(),
    formats: [yamlFormat, xmlFormat, ...orderYangFormats],
  });
  const rows = [];
  for (const { name, type, body } of bodies) {
    const samples = [];
    for (let sample = 0; sample < WARM_UP; sample++) await answer(service, type, body);
    for (let sample = 0; sample < SAMPLES; sample++) samples.push(await answer(service, type, body));
    const ms = samples.map((sample) => sample.ms).sort((a, b) => a - b)[SAMPLES >> 1];
    const { status } = samples[0];
    rows.push([type, name, String(status), ms.toFixed(1), ms < BOUND_MS ? "met" : "missed"]);
  }
  console.log(`\nhostile: median CPU ms of ${SAMPLES} replies, goal: under ${BOUND_MS} ms each`);
  printRows([["type", "body", "status", "ms", ""], ...rows]);
}

async function answer(service, type, body) {
  assert.ok(Buffer.byteLength(body) <= BODY_BYTES);
  const request = { method: "POST", path: "/orders", headers: { "content-type": type }, body };
  const before = process.cpuUsage();
  const { status } = await service.handle(request);
  const { user, system } = process.cpuUsage(before);
  assert.ok(status < 500);
  return { status, ms: (user + system) / 1e3 };
}

function filled(part, margin = 0) {
  let text = "";
  for (let index = 0; ; index++) {
    const next = part(index);
    if (text.length + next.length + margin > BODY_BYTES) return text;
    text += next;
  }
}

function laughs() {
  const lines = Array.from({ length: 9 }, (_, level) => {
    const below = level === 0 ? '"lol"' : `*l${level - 1}`;
    return `l${level}: &l${level} [${Array(9).fill(below).join(",")}]`;
  });
  return lines.join("\n");
}

function mergeKeys() {
  const lines = Array.from(
    { length: 500 },
    (_, level) => `m${level}: &m${level} {<<: [*m${level - 1}, *m${level - 1}]}`,
  );
  return `m-1: &m-1 {a: 1}\n${lines.join("\n")}`;
}

function entities() {
  const lines = Array.from({ length: 9 }, (_, level) => {
    const below = level === 0 ? "lol" : `&l${level - 1};`;
    return `<!ENTITY l${level} "${below.repeat(9)}">`;
  });
  return `<!DOCTYPE order [${lines.join("")}]><order>&l8;</order>`;
}
