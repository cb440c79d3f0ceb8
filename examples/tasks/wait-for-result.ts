/** Waits for the result: in the process of the service, and with the client, which also runs in browsers. */
import { createService, createWorker, defineOperation } from "async-request-reply";
import { createClient } from "async-request-reply/client";
import { toFetchHandler } from "async-request-reply/fetch";
import * as z from "zod";

const thumbnails = defineOperation({
  name: "thumbnails",
  path: "/thumbnails",
  input: z.object({ file: z.string() }),
  result: z.object({ url: z.string() }),
});
export const service = createService({ definitions: [thumbnails], authorize: () => ({ id: "studio" }) });
const worker = createWorker(service, { thumbnails: ({ file }) => ({ url: `/${file}.webp` }) });
await worker.start();

export async function inProcess(file: string): Promise<string> {
  const { operationId } = await service.submit(thumbnails, { file }, { tenant: "studio" });
  const signal = AbortSignal.timeout(60_000);
  return (await service.result(thumbnails, operationId, { tenant: "studio", signal })).url;
}

/** A client elsewhere passes only the address of the service as `baseUrl`. */
const handle = toFetchHandler(service);
const fetch = (url: string, request: RequestInit) => handle(new Request(url, request));
const api = createClient({ baseUrl: "http://x", definitions: [thumbnails], fetch });
export async function overHttp(file: string): Promise<string> {
  const thumbnail = await api.thumbnails.submit({ file });
  return (await thumbnail.result({ signal: AbortSignal.timeout(60_000) })).url;
}
