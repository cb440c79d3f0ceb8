import { createSocket } from "node:dgram";
import { once } from "node:events";
import { onTestFinished } from "vitest";

const dns = process.getBuiltinModule("node:dns");

/** Returns the IPv4 addresses of a name, undefined if there is no such name, or `silence`. */
type Answer = (name: string) => readonly string[] | "silence" | undefined;

/** Starts a DNS server on loopback that all look-ups ask, and returns the names that it was asked for, once per query. */
export async function startDnsServer(answer: Answer): Promise<readonly string[]> {
  const names: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    names.push(name);
    const found = answer(name);
    if (found !== "silence") socket.send(replyTo(query.subarray(0, end), type, found), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { Resolver } = dns.promises;
  class LocalResolver extends Resolver {
    constructor(options: ConstructorParameters<typeof Resolver>[0]) {
      super(options);
      this.setServers([`127.0.0.1:${socket.address().port}`]);
    }
  }
  Object.assign(dns.promises, { Resolver: LocalResolver });
  onTestFinished(() => {
    Object.assign(dns.promises, { Resolver });
    socket.close();
  });
  return names;
}

/** Reads the question of a query (RFC 1035 §4.1.2). */
function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Answers a query for addresses. Names have IPv4 addresses only. */
function replyTo(query: Buffer, type: number, found: readonly string[] | undefined): Buffer {
  const addresses = type === 1 ? (found ?? []) : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([header, query.subarray(12), ...records]);
}
