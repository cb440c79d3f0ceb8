import { hash, randomBytes } from "node:crypto";
import { createServer as createHttpServer } from "node:http";

const MAX_BODY_BYTES = 65_536;
const MAX_DEPTH = 32;
const ACCEPTED_TYPES = new Set(["application/json", "application/json; charset=utf-8"]);

/** Refuses a request with a status and a detail for the client. */
class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * The whole contract, handwritten for this one service and optimized to the last microsecond: authorization, negotiation, key,
 * bounded body, strict JSON, contract, fingerprint, time-ordered id, key map and status with its entity tag. Its replies have the
 * same header fields and bodies as those of the package.
 */
export async function createServer({ retain }) {
  const store = createStore(retain);
  return createHttpServer((req, res) => {
    try {
      if (req.headers.authorization !== "Bearer bench-token") throw new Refusal(401, "unauthenticated");
      if (req.method === "POST" && req.url === "/orders") submit(req, res, store);
      else if (req.method === "GET" && req.url.startsWith("/operations/")) read(req, res, store);
      else throw new Refusal(404, "not found");
    } catch (error) {
      refuse(res, error);
    }
  });
}

function submit(req, res, store) {
  const key = negotiate(req.headers);
  const chunks = [];
  let length = 0;
  req.on("data", (chunk) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  req.on("end", () => {
    try {
      if (length > MAX_BODY_BYTES) throw new Refusal(413, "too large");
      const text = decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      const { operation, replayed } = store.record(key, canonical(checkOrder(parseStrictJson(text))));
      const body = `{"operationId":"${operation.id}","status":"${operation.state}"}`;
      res.writeHead(202, {
        "content-type": "application/json",
        "content-length": body.length,
        location: `/operations/${operation.id}`,
        "retry-after": "1",
        "cache-control": "no-store",
        vary: "accept",
        "x-content-type-options": "nosniff",
        ...(replayed ? { "idempotent-replayed": "true" } : {}),
      });
      res.end(body);
    } catch (error) {
      refuse(res, error);
    }
  });
}

function negotiate(headers) {
  if (!ACCEPTED_TYPES.has(headers["content-type"])) throw new Refusal(415, "unsupported media type");
  if (headers["content-encoding"] !== undefined) throw new Refusal(415, "unsupported content coding");
  const accept = headers.accept ?? "*/*";
  if (!accept.includes("*/*") && !accept.includes("application/json"))
    throw new Refusal(406, "not acceptable");
  const key = headers["idempotency-key"];
  if (key === undefined || !/^[!#-+\--:<-~]{1,255}$/.test(key)) throw new Refusal(400, "invalid key");
  return key;
}

function checkOrder({ itemId, quantity, ...others }) {
  const isOrder =
    typeof itemId === "string" &&
    itemId.length >= 1 &&
    itemId.length <= 255 &&
    Number.isSafeInteger(quantity) &&
    quantity > 0;
  if (!isOrder || Object.keys(others).length > 0) throw new Refusal(422, "contract violation");
  return { itemId, quantity };
}

function canonical({ itemId, quantity }) {
  return `{"itemId":${JSON.stringify(itemId)},"quantity":${quantity}}`;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses strictly: scans the text for its depth and its number of members. If the value has fewer, a name is repeated. */
function parseStrictJson(text) {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at);
    else if (code === 0x3a) members++;
    else if ((code === 0x7b || code === 0x5b) && ++depth > MAX_DEPTH) throw new Refusal(400, "too deep");
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  const value = parse(text);
  if (countMembers(value) !== members) throw new Refusal(400, "repeated name");
  return value;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "malformed");
  }
}

function stringEnd(text, start) {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return text.length;
}

function countMembers(value) {
  if (typeof value !== "object" || value === null) return 0;
  let members = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const name in value) members += countMembers(value[name]);
  return members;
}

/** Stores keys, operations and due work. Without `retain`, it does the same steps and stores nothing. */
function createStore(retain) {
  const byKey = new Map();
  const byId = new Map();
  const due = [];
  return {
    get: (id) => byId.get(id),
    record: (key, input) => {
      const fingerprint = hash("sha256", input, "base64url");
      const known = byKey.get(key);
      if (known !== undefined && known.fingerprint !== fingerprint) throw new Refusal(422, "key reused");
      if (known !== undefined) return { operation: known.operation, replayed: true };
      const operation = { id: newId(), key, input, state: "pending", attempt: 0, createdAt: Date.now() };
      if (retain) {
        byKey.set(key, { fingerprint, operation });
        byId.set(operation.id, operation);
        due.push(operation);
      }
      return { operation, replayed: false };
    },
  };
}

const POOL_BYTES = 4_096;
let pool = "";
let used = POOL_BYTES;

/** Creates a UUID v7 from pooled random bytes. */
function newId() {
  if (used === POOL_BYTES) {
    pool = randomBytes(POOL_BYTES).toString("hex");
    used = 0;
  }
  const random = pool.slice(used * 2, used * 2 + 20);
  used += 16;
  const time = Date.now().toString(16).padStart(12, "0");
  const variant = "89ab"[Number.parseInt(random[3], 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

function read(req, res, store) {
  const operation = store.get(req.url.slice("/operations/".length));
  if (operation === undefined) throw new Refusal(404, "not found");
  const { id, state, attempt } = operation;
  const createdAt = new Date(operation.createdAt).toISOString();
  const body = `{"operationId":"${id}","status":"${state}","definition":"orders","createdAt":"${createdAt}","attempt":${attempt}}`;
  const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`;
  const fields = {
    "retry-after": "1",
    "cache-control": "private, no-cache",
    vary: "accept",
    "x-content-type-options": "nosniff",
    etag,
  };
  if (req.headers["if-none-match"] === etag) {
    res.writeHead(304, fields);
    res.end();
    return;
  }
  res.writeHead(200, { "content-type": "application/json", "content-length": body.length, ...fields });
  res.end(body);
}

function refuse(res, error) {
  const status = error instanceof Refusal ? error.status : 500;
  const body = JSON.stringify({ status, detail: status === 500 ? undefined : error.message });
  res.writeHead(status, { "content-type": "application/problem+json", "content-length": body.length });
  res.end(body);
}
