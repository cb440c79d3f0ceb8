/**
 * Accepts videos over HTTP and transcodes them in the same process. It keeps operations in memory, so they end with the
 * process. Run `npm run build:start && node examples/tasks/dist/one-process.js`, then
 *
 * curl -i localhost:3000/videos -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "video-1"' -d '{"file":"cat.mov"}'
 */
import { createServer } from "node:http";
import { bearer, createService, createWorker, defineOperation } from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import * as z from "zod";

const videos = defineOperation({
  name: "videos",
  path: "/videos",
  input: z.object({ file: z.string() }),
  result: z.object({ url: z.url() }),
});
const service = createService({ definitions: [videos], authorize: bearer({ "demo-token": "ann" }) });
const worker = createWorker(service, {
  // Your own work goes here. It can take as long as it needs.
  videos: async ({ file }) => {
    console.log(`transcoding ${file}`);
    return { url: `https://cdn.example/${file}.mp4` };
  },
});

await worker.start();
const server = createServer(toNodeHandler(service)).listen(Number(process.env.PORT ?? 3000));
process.once("SIGTERM", () => closeServer(server, service));
