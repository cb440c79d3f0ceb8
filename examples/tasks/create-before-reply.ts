/**
 * Creates the video before the reply, which is then a 201 with its location, and transcodes it afterwards. Reading videos is
 * the application's part. Run `npm run build:start && node examples/tasks/dist/create-before-reply.js`, then
 *
 * curl -i localhost:3000/videos -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "video-1"' -d '{"file":"cat.mov"}'
 */
import { bearer, createService, createWorker, defineOperation } from "async-request-reply";
import { toExpressHandler } from "async-request-reply/express";
import express from "express";
import * as z from "zod";

const videos = defineOperation({ name: "videos", path: "/videos", input: z.object({ file: z.string() }) });
const table = new Map<string, object>(); // Stands for a table of your database.
const service = createService({
  definitions: [videos],
  authorize: bearer({ "demo-token": "ann" }),
  create: {
    // If the process dies, this runs again with the same id. It must not create a second video.
    videos: (video, { operationId: id }) => {
      table.set(id, { id, ...video });
      return { body: { id, ...video }, location: `/videos/${id}` };
    },
  },
});
const worker = createWorker(service, { videos: ({ file }) => console.log(`transcoding ${file}`) });
await worker.start();

const app = express().use(toExpressHandler(service, { fallthrough: true }));
app.get("/videos/:id", (req, res) => {
  const video = table.get(req.params.id);
  if (video === undefined) res.sendStatus(404);
  else res.json(video);
});
app.listen(Number(process.env.PORT ?? 3000));
