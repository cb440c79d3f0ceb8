import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import type { OperationHandle } from "async-request-reply/client";
import type { chats } from "../contract.js";
import { api } from "./client.js";

type Handle = OperationHandle<typeof chats>;

/** Returns the operation of the last answer of a chat. */
export function operationOf(chatId: string): Handle | undefined {
  const saved = localStorage.getItem(`operation of ${chatId}`);
  return saved === null ? undefined : api.chats.resume(JSON.parse(saved));
}

/** Answers are operations. `resume` has to call `resumeStream` of the chat: after a discard, the answer is read from its beginning. */
export function createTransport(resume: () => void): ChatTransport<UIMessage> {
  function read(op: Handle, signal: AbortSignal | undefined): ReadableStream<UIMessageChunk> {
    const parts = op.output(signal === undefined ? {} : { signal });
    let count = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await parts.next();
        if (done) return controller.close();
        if (value.at < count) {
          controller.close();
          setTimeout(resume);
          return;
        }
        count += value.chunks.length;
        for (const chunk of value.chunks) controller.enqueue(chunk);
      },
      cancel: async () => void (await parts.return()),
    });
  }
  return {
    resumeStreamIsReplay: true,
    sendMessages: async ({ chatId, messages, abortSignal }) => {
      const prompt =
        messages
          .at(-1)
          ?.parts.map((part) => (part.type === "text" ? part.text : ""))
          .join("") ?? "";
      const op = await api.chats.submit({ prompt });
      localStorage.setItem(`operation of ${chatId}`, JSON.stringify(op));
      return read(op, abortSignal);
    },
    reconnectToStream: async ({ chatId, abortSignal }) => {
      const op = operationOf(chatId);
      return op === undefined ? null : read(op, abortSignal);
    },
  };
}
