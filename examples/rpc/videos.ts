/** The service, its worker, and a function that procedures call to submit work. */
import { bearer, createService, createWorker, defineOperation, isAsyncReplyError } from "async-request-reply";
import * as z from "zod";

export const Video = z.object({ file: z.string() });
export const videos = defineOperation({
  name: "videos",
  path: "/videos",
  input: Video,
  result: z.object({ url: z.url() }),
});

/** Stands for your sessions. */
const verify = (token: string) => (token === "demo-token" ? { id: "ann" } : undefined);
export const userOf = (authorization = "") => verify(authorization.replace("Bearer ", ""));

export const service = createService({ definitions: [videos], authorize: bearer(verify) });
export const worker = createWorker(service, { videos: ({ file }) => ({ url: `https://cdn.example/${file}.mp4` }) });

/** Submits for a user. `tenant` is the id of the principal in `authorize`, so that the user can read the operation. */
export async function submit(user: { readonly id: string }, { key, file }: { key: string; file: string }) {
  const { operationId } = await service.submit(videos, { file }, { tenant: user.id, key });
  return { definition: "videos", operationId, location: `/operations/${operationId}` };
}

/** The code of an error. tRPC and oRPC use the same names. */
export function codeOf(error: unknown) {
  const code = isAsyncReplyError(error) ? error.code : undefined;
  if (code === "INVALID_IDEMPOTENCY_KEY") return "BAD_REQUEST";
  return code === "IDEMPOTENCY_KEY_REUSED" ? "CONFLICT" : "INTERNAL_SERVER_ERROR";
}
