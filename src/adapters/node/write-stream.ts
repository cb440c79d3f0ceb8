import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type BodyStream, toChunks } from "../../http/message/body-stream.js";

/**
 * Sends a body in chunks, and releases it if the client disconnects. Rejects if the body fails or the connection
 * breaks.
 */
export function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  body: BodyStream,
  options: { readonly end: boolean },
): Promise<void> {
  const source = Readable.from(toChunks(body));
  if (res.socket === null) destroyWithConnection(req, source);
  return pipeline(source, res, options);
}

/** Sources of responses that wait behind an earlier one, by connection. */
const waiting = new WeakMap<IncomingMessage["socket"], Set<Readable>>();

/** Such a response does not notice that its connection closes. The connection has one listener for all of them. */
function destroyWithConnection({ socket }: IncomingMessage, source: Readable): void {
  const sources = waiting.get(socket) ?? watchConnection(socket);
  sources.add(source);
  source.once("close", () => sources.delete(source));
}

function watchConnection(socket: IncomingMessage["socket"]): Set<Readable> {
  const sources = new Set<Readable>();
  waiting.set(socket, sources);
  socket.once("close", () => {
    for (const source of sources) source.destroy();
  });
  return sources;
}
