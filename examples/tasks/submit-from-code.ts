/** Submits work from your own code, and reads what has become of it. */
import { createService, createWorker, defineOperation } from "async-request-reply";
import * as z from "zod";

const videos = defineOperation({
  name: "videos",
  path: "/videos",
  input: z.object({ file: z.string() }),
  result: z.object({ url: z.url() }),
});
export const service = createService({ definitions: [videos] });
const worker = createWorker(service, { videos: ({ file }) => ({ url: `https://cdn.example/${file}.mp4` }) });
await worker.start();

/** The file is the key: repeated calls for one file return the same operation. */
export async function transcode(file: string): Promise<string> {
  const { operationId } = await service.submit(videos, { file }, { key: file });
  return operationId;
}

/** Returns undefined as long as the video is not ready. */
export async function urlOf(operationId: string): Promise<string | undefined> {
  const operation = await service.get(videos, operationId);
  if (operation?.status === "failed") throw new Error(operation.error.detail);
  return operation?.status === "completed" ? operation.result.url : undefined;
}
