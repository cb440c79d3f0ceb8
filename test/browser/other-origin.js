import { createClient, createKeyStore, eventStream, outputStream } from "/modules/client.js";

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
    const cancelled = await connect({}).submit({ account: "cancelled" });
    const seen = [await lastStatus(waiting), await waiting.result()];
    seen.push(await lastStatus(streaming), await streaming.result());
    await cancelled.cancel();
    seen.push(await cancelled.result().catch(({ code }) => code));
    return seen;
  } catch (error) {
    return error.message;
  }
}

/** Follows an output of which a part is discarded. Returns to which places it went back, and what stands in the end. */
export async function followOutput(baseUrl) {
  const { answers } = createClient({
    baseUrl,
    paths: { answers: "/answers" },
    headers: { authorization: "Bearer secret" },
    outputStream,
  });
  const op = await answers.submit({});
  const backTo = [];
  const shown = [];
  for await (const { at, chunks } of op.output()) {
    if (at < shown.length) backTo.push(at);
    shown.length = at;
    shown.push(...chunks);
    if (chunks.includes("discarded")) await fetch(`${baseUrl}/seen`);
  }
  return { backTo, shown };
}

/** Submits the same as another tab, at a given time. Sends half a second later, and returns the key. */
export async function submitAt(baseUrl, account, time) {
  let key;
  const { exports } = createClient({
    baseUrl,
    paths: { exports: "/exports" },
    headers: { authorization: "Bearer secret" },
    keyStore: createKeyStore(localStorage),
    fetch: async (url, request) => {
      key ??= request.headers["idempotency-key"];
      await new Promise((resolve) => setTimeout(resolve, 500));
      return fetch(url, request);
    },
  });
  while (Date.now() < time);
  await (await exports.submit({ account })).cancel();
  return key;
}

/** Submits to a service that redirects. Returns the status of the problem, and the message of the error. */
export async function submitToRedirect(baseUrl) {
  const { exports } = createClient({ baseUrl, paths: { exports: "/exports" } });
  try {
    await exports.submit({ account: "redirected" });
  } catch ({ context, message }) {
    return [context.problem.status, message];
  }
}

async function lastStatus(op) {
  let last;
  for await (const { status } of op) last = status;
  return last;
}
