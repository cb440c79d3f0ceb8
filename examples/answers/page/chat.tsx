import { Chat, useChat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { createTransport, operationOf } from "./chat-transport.js";

const ID = "demo";

const chat: Chat<UIMessage> = new Chat({
  id: ID,
  messages: JSON.parse(localStorage.getItem("messages") ?? "[]"),
  transport: createTransport(() => chat.resumeStream()),
});

/** The service stops the work and keeps what stands, and the page stops to wait for it. */
async function stop(): Promise<void> {
  await operationOf(ID)?.cancel();
  await chat.stop();
}

function Messages() {
  const { messages, status, sendMessage } = useChat({ chat, resume: true });
  useEffect(() => localStorage.setItem("messages", JSON.stringify(messages)), [messages]);
  const isOpen = status === "submitted" || status === "streaming";
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role} style={{ whiteSpace: "pre-wrap" }}>
          {parts.map((part) => (part.type === "text" ? part.text : ""))}
        </article>
      ))}
      <form action={(form) => sendMessage({ text: String(form.get("prompt")) })}>
        <label>
          Message <input name="prompt" required defaultValue="Why is the sky blue?" />
        </label>
        <button type="submit" disabled={isOpen}>
          Send
        </button>
        <button type="button" disabled={!isOpen} onClick={stop}>
          Stop
        </button>
      </form>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Messages />
  </StrictMode>,
);
