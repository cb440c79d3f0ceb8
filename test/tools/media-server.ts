import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  allowAnonymous,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
} from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import * as z from "zod";

const thumbnails = defineOperation({
  name: "thumbnails",
  path: "/thumbnails",
  input: z.object({ file: z.string() }),
  result: z.object({ url: z.string() }),
});

const transcripts = defineOperation({
  name: "transcripts",
  path: "/transcripts",
  input: z.object({ file: z.string(), language: z.string().default("en") }),
  result: z.object({ words: z.int() }),
  progress: z.object({ percent: z.number() }),
  cancellable: true,
});

/** A service with the definition `transcripts` of the examples in generated-clients.md, and another one. */
export interface MediaServer {
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
  /** Number of transcripts that a worker began. */
  begun(): number;
  close(): Promise<void>;
}

/** Starts the service with a worker. `broken.mp3` fails, and `long.mp3` runs until it is cancelled. */
export async function startMediaServer(): Promise<MediaServer> {
  let begun = 0;
  const service = createService({ definitions: [thumbnails, transcripts], authorize: allowAnonymous() });
  const worker = createWorker(service, {
    thumbnails: ({ file }) => ({ url: `/${file}.webp` }),
    transcripts: {
      leaseMs: 1_000, // A worker learns of a cancellation when it renews the lease.
      run: async ({ file, language }, job) => {
        begun += 1;
        if (file === "broken.mp3") throw permanentFailure("The file has no sound.");
        if (file === "long.mp3") {
          await once(job.signal, "abort");
          throw job.signal.reason;
        }
        return { words: file.length + language.length };
      },
    },
  });
  await worker.start();
  const server = createServer(toNodeHandler(service));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    document: createOpenApiDocument(service, { info: { title: "Media", version: "1.0.0" } }),
    begun: () => begun,
    close: async () => {
      await worker.stop();
      await closeServer(server, service);
    },
  };
}
