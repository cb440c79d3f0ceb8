/** The contract, which the API, the workers and clients share. It holds no server code. */
import { defineOperation } from "async-request-reply";
import * as z from "zod";

export const videos = defineOperation({
  name: "videos",
  path: "/videos",
  input: z.object({ file: z.string() }),
});
