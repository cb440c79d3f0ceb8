import { connect, type Socket } from "node:net";

/** A reply as received. The head is decoded as Latin-1, the body as UTF-8. */
export interface RawReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A client that sends arbitrary bytes and reads HTTP/1.1 replies (RFC 9112 §6). */
export interface RawConnection {
  /** Resolves when the bytes have left this process, or when the connection is gone. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Reads the next reply to a request with this method. Rejects if the connection ends before a complete reply. */
  read(method?: string): Promise<RawReply>;
  /** Reads up to and including this text, without framing. Rejects like `read`. */
  readUntil(text: string): Promise<string>;
  /** Destroys the connection immediately. */
  abort(): void;
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
}

/** Connects to a port of this machine. */
export function openRawConnection(port: number): RawConnection {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  // Writes fail if the server closes early, which some tests expect.
  socket.on("error", () => {});
  const input = readBytes(socket);
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        const data = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
        if (socket.destroyed) resolve();
        else socket.write(data, () => resolve());
      }),
    read: (method = "GET") => readReply(input, method),
    readUntil: input.until,
    abort: () => socket.destroy(),
    closed,
  };
}

interface Input {
  until(text: string): Promise<string>;
  take(length: number): Promise<Buffer>;
  rest(): Promise<Buffer>;
}

function readBytes(socket: Socket): Input {
  let buffered = Buffer.alloc(0);
  let ended = false;
  let wake: () => void = () => {};
  socket.on("data", (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    wake();
  });
  for (const event of ["end", "close"] as const)
    socket.on(event, () => {
      ended = true;
      wake();
    });

  async function until(enough: () => boolean): Promise<void> {
    while (!enough()) {
      if (ended) throw new Error(`the connection ended after ${JSON.stringify(buffered.toString("latin1"))}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const cut = (length: number): Buffer => {
    const taken = buffered.subarray(0, length);
    buffered = buffered.subarray(length);
    return taken;
  };
  return {
    until: async (text) => {
      await until(() => buffered.includes(text));
      return cut(buffered.indexOf(text) + text.length).toString("latin1");
    },
    take: async (length) => {
      await until(() => buffered.length >= length);
      return cut(length);
    },
    rest: async () => {
      await until(() => ended);
      return cut(buffered.length);
    },
  };
}

async function readReply(input: Input, method: string): Promise<RawReply> {
  const status = Number((await readLine(input)).split(" ")[1]);
  const headers: [string, string][] = [];
  for (let line = await readLine(input); line !== ""; line = await readLine(input)) {
    const colon = line.indexOf(":");
    headers.push([line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]);
  }
  // Skips interim replies (RFC 9110 §15.2).
  if (status < 200) return readReply(input, method);
  const empty = method === "HEAD" || status === 204 || status === 304;
  const body = empty ? Buffer.alloc(0) : await readContent(input, new Map(headers));
  return { status, headers, body: body.toString("utf8") };
}

async function readLine(input: Input): Promise<string> {
  return (await input.until("\r\n")).slice(0, -2);
}

async function readContent(input: Input, fields: ReadonlyMap<string, string>): Promise<Buffer> {
  if (fields.get("transfer-encoding") !== "chunked") {
    const length = fields.get("content-length");
    return length === undefined ? input.rest() : input.take(Number(length));
  }
  const parts: Buffer[] = [];
  for (;;) {
    const size = Number.parseInt(await readLine(input), 16);
    const part = await input.take(size);
    await readLine(input);
    if (size === 0) return Buffer.concat(parts);
    parts.push(part);
  }
}
