import { setTimeout as sleep } from "node:timers/promises";

const TOKEN_MS = Number(process.env.TOKEN_MS ?? 60);

/** Returns the paragraphs of an answer. */
export function plan(prompt: string): readonly string[] {
  return [
    `You asked: ${prompt}\n\n`,
    "This answer comes from a model that knows nothing, word by word. Each word is stored before you see it, so it survives a reload " +
      "of the page, a lost connection and a restart of the worker.\n\n",
    "If you press Stop, the words that you have seen stay. If an attempt fails, the next one begins where the last paragraph ended.",
  ];
}

/** A model without a network: writes a text word by word. */
export async function* model(
  text: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<string> {
  for (const word of text.match(/\s*\S+\s*/g) ?? []) {
    await sleep(TOKEN_MS, undefined, { signal });
    yield word;
  }
}
