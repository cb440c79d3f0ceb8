import { createClient, createKeyStore, isAsyncReplyError } from "async-request-reply/client";

// `localStorage` keeps the key of a submission that has no answer yet, so that it can be repeated after a reload.
const api = createClient({
  baseUrl: "",
  paths: { exports: "/accounts/{accountId}/exports" },
  keyStore: createKeyStore(localStorage),
});
const form = document.getElementById("form");
const progress = document.getElementById("progress");
const message = document.getElementById("message");

/** Remembers the input before it is submitted, and the operation from then on. */
async function start(input) {
  localStorage.setItem("export", JSON.stringify({ input }));
  message.textContent = "Submitting…";
  const op = await api.exports.submit(input);
  localStorage.setItem("export", JSON.stringify({ op }));
  await follow(op);
}

async function follow(op) {
  progress.hidden = false;
  for await (const state of op) {
    message.textContent = `Export ${op.operationId} is ${state.status}.`;
    if (state.status === "pending") progress.value = state.progress?.percent ?? 0;
  }
  const { url } = await op.result();
  progress.value = 100;
  message.textContent = `Export ${op.operationId} is ready: ${url}`;
}

async function run(work) {
  form.inert = true;
  try {
    await work();
  } catch (error) {
    message.textContent = isAsyncReplyError(error) ? error.detail : String(error);
  }
  // After a failure to reach the service, a reload tries again with the same key.
  form.inert = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void run(() => start(Object.fromEntries(new FormData(form))));
});

const { input, op } = JSON.parse(localStorage.getItem("export") ?? "{}");
if (op) void run(() => follow(api.exports.resume(op)));
else if (input) void run(() => start(input));
