import { defineOperation } from "async-request-reply";
import * as z from "zod";

/** An answer as text. If an attempt fails, the next one continues after the last paragraph. */
export const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input: z.strictObject({ prompt: z.string().min(1).max(1_000) }),
  chunk: z.string(),
  checkpoint: z.object({ paragraphs: z.int() }),
  cancellable: true,
});

/** An answer as the chunks of a message that `useChat` of the AI SDK reads. With the SDK, write `z.custom<UIMessageChunk>()`. */
export const chats = defineOperation({
  name: "chats",
  path: "/chats",
  input: z.strictObject({ prompt: z.string().min(1).max(1_000) }),
  chunk: z.discriminatedUnion("type", [
    z.object({ type: z.literal("start"), messageId: z.string() }),
    z.object({ type: z.literal("text-start"), id: z.string() }),
    z.object({ type: z.literal("text-delta"), id: z.string(), delta: z.string() }),
    z.object({ type: z.literal("text-end"), id: z.string() }),
    z.object({ type: z.literal("finish") }),
  ]),
  cancellable: true,
});

export const definitions = [answers, chats] as const;
