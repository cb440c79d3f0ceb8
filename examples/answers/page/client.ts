import { createClient, outputStream } from "async-request-reply/client";
import type { definitions } from "../contract.js";

export const api = createClient<typeof definitions>({
  baseUrl: "",
  paths: { answers: "/answers", chats: "/chats" },
  outputStream,
});
