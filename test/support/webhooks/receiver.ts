import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a receiver got. */
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
}

/** A server on loopback that receives webhooks. */
export interface Receiver {
  readonly origin: string;
  readonly url: string;
  readonly received: readonly Received[];
  /** Returns how many answers it has sent. */
  answered(): number;
  /** Answers the next requests, in this order. Afterwards every answer is a 204. */
  answer(...answers: readonly ((response: ServerResponse) => void)[]): void;
  /** Forgets the answers that were not given yet. */
  recover(): void;
  close(): Promise<void>;
}

/** Answers with a status and without a body. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse): void => void response.writeHead(code, headers).end();
}

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answered = 0;
  const answers: ((response: ServerResponse) => void)[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { headers, url: path = "" } = request;
    response.once("finish", () => {
      answered += 1;
    });
    received.push({ headers, path, body: Buffer.concat(chunks).toString() });
    (answers.shift() ?? status(204))(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/hooks`,
    received,
    answered: () => answered,
    answer: (...more) => void answers.push(...more),
    recover: () => void answers.splice(0),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
