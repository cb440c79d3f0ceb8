/** Runs failed operations again. Offer these functions to operators only: they do not ask who is calling. */
import { bearer, createService, createWorker, defineOperation, permanentFailure } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import * as z from "zod";

const videos = defineOperation({ name: "videos", path: "/videos", input: z.object({ file: z.url() }) });
export const service = createService({ definitions: [videos], authorize: bearer({ "demo-token": "ann" }) });
const worker = createWorker(service, {
  videos: async ({ file }, { signal }) => {
    const { ok, status } = await fetch(file, { method: "HEAD", signal });
    if (!ok) throw permanentFailure(`The file server replied with ${status}.`);
  },
});
await worker.start();
const operator = createOperator({ backend: service.backend, definitions: service.definitions });

/** Runs one failed operation again and returns the id of the new one, which repeated calls return too. */
export async function runAgain(id: string): Promise<string> {
  const { outcome, operation } = await operator.redrive(id);
  if (operation === undefined) throw new Error(`Operation ${id} cannot run again: ${outcome}.`);
  return operation.operationId;
}

/** Runs everything again that failed since a time, newest first. Repeated calls run nothing twice. */
export async function recover(since: Date): Promise<void> {
  const filter = { definition: "videos", errorType: "work-failed", createdFrom: since } as const;
  let cursor: string | undefined;
  do {
    ({ cursor } = await operator.redrive(filter, { perSecond: 50, cursor }));
  } while (cursor !== undefined);
}
