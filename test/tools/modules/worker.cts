import { AsyncReplyError, createWorker, defineOperation, type Worker } from "async-request-reply";
import { SimulationFailure } from "async-request-reply/testing";
import * as z from "zod";

/** An operation with the types that CommonJS has of zod. */
const videos = defineOperation({ name: "videos", path: "/videos", input: z.object({ id: z.number() }) });

/** Starts a worker in CommonJS for the service of an ES module, with an operation of both. */
export async function startWorker(): Promise<Worker> {
  const { backend, reports } = await import("./service.mjs");
  const worker = createWorker(
    { backend, definitions: [reports, videos] },
    {
      reports: ({ year }, job) =>
        job.transaction((database) => ({
          pages: database.prepare("insert into reports values (?)").run(year).changes,
        })),
      videos: ({ id }) => ({ id }),
    },
  );
  await worker.start();
  return worker;
}

/** A class is a value, a type and a base class. */
class Refused extends AsyncReplyError {}

export function failureOf(error: unknown): Refused | AsyncReplyError | SimulationFailure | undefined {
  if (error instanceof AsyncReplyError || error instanceof SimulationFailure) return error;
  return error === undefined ? new Refused("FORBIDDEN", "No error") : undefined;
}
