import { createClient, eventStream } from "/modules/client.js";

/** Submits, waits, streams and cancels, as a page does. Returns what it has seen, or the message of an error. */
export async function useService(baseUrl) {
  const connect = (options) =>
    createClient({
      baseUrl,
      paths: { exports: "/exports" },
      headers: { authorization: "Bearer secret" },
      giveUpAfterMs: 1_000,
      ...options,
    }).exports;
  try {
    const waiting = await connect({}).submit({ account: "waiting" });
    const streaming = await connect({ eventStream }).submit({ account: "streaming" });
    const canceled = await connect({}).submit({ account: "canceled" });
    const seen = [await lastStatus(waiting), await waiting.result()];
    seen.push(await lastStatus(streaming), await streaming.result());
    await canceled.cancel();
    seen.push(await canceled.result().catch(({ code }) => code));
    return seen;
  } catch (error) {
    return error.message;
  }
}

async function lastStatus(op) {
  let last;
  for await (const { status } of op) last = status;
  return last;
}
