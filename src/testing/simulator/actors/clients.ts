import type { HttpResponse } from "../../../http/message/message.js";
import { judgeHidden, judgeStatus } from "../ledger/answers.js";
import { isHidden } from "../ledger/entry.js";
import type { Stage } from "../stage.js";
import { Process } from "../world/process.js";
import type { Apis } from "./actors.js";
import { submitByCall, submitInList } from "./calls.js";
import { type Answer, type Caller, chooseDraft, type Draft, describeDraft } from "./drafts.js";
import { submitInOwnTransaction } from "./own-transaction.js";
import { ask, statusOf, submitByRequest, WAIT } from "./requests.js";
import { createsBeforeReply } from "./work.js";

const MAX_TRIES = 300;
/** One of this many drafts is submitted several times before, without a key, so that orders wait for their turn. */
const BURST_EVERY = 16;
const BURST = 5;
/** Has the format of an operation id, but no operation has it. */
const UNKNOWN_ID = "00000000-0000-7000-8000-ffffffffffff";

/**
 * Runs one client until the history is over. It submits, retries until it gets a final reply, polls, sometimes
 * cancels, and asks for operations that it must not see.
 */
export async function runClient(
  stage: Stage,
  apis: Apis,
  caller: Caller,
  over: () => boolean,
): Promise<void> {
  const { world, ledger } = stage;
  const { name, tenant } = caller;
  const clock = world.clockOf(new Process(name));
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(ms, resolve));

  while (!over()) {
    const draft = chooseDraft(stage, caller);
    if (world.choices.choose(BURST_EVERY) === 1)
      for (let made = 0; made < BURST; made += 1) await submit({ ...draft, key: undefined });
    await follow(await submit(draft));
    await wait([1_000, 5_000, 60_000][world.choices.choose(3)] ?? 0);
  }

  /** Submits a draft. Each try can be a request or a call, to any process, with or without a transaction. */
  async function submit(draft: Draft): Promise<string | undefined> {
    const tries = draft.key === undefined ? 1 : MAX_TRIES;
    for (let made = 0; made < tries; ) {
      const answer = await submitOnce(draft);
      if (answer === "refused") return undefined;
      if (answer !== "retry" && answer !== "full") return answer.id;
      // Room can take long to come, and always comes. Without a key, nothing is sent again.
      if (answer === "retry" || draft.key === undefined) made += 1;
      await wait(1_000);
    }
    if (draft.key !== undefined)
      ledger.violated("I5", `${name} never got a final reply for ${describeDraft(draft)}`);
    return undefined;
  }

  function submitOnce(draft: Draft): Promise<Answer> {
    const shares = stage.transactions.users !== undefined || stage.synchronous !== undefined;
    const way = world.choices.weighted([
      ["request", 6],
      ["call", 3],
      ["transaction", shares ? 3 : 0],
      ["list", canList(draft) ? 2 : 0],
    ]);
    if (way === "request") return submitByRequest(stage, apis, caller, draft);
    if (way === "call") return submitByCall(stage, apis.any(), draft);
    if (way === "list") return submitInList(stage, apis.any(), draft);
    return submitInOwnTransaction(stage, apis.any(), draft);
  }

  function canList({ definition }: Draft): boolean {
    return "submissions" in stage.backend && !createsBeforeReply(stage, definition.name);
  }

  async function follow(operationId: string | undefined): Promise<void> {
    const next = world.choices.weighted([
      ["poll", 4],
      ["leave", 2],
      ["cancel", 1],
      ["probe", 1],
      ["wait", 1],
    ]);
    if (next === "probe") return probe();
    if (operationId === undefined || next === "leave") return;
    await askAbout(next === "cancel" ? "DELETE" : "GET", operationId, next === "wait" ? WAIT : {});
  }

  /** Asks the service or the store for an operation that is hidden or belongs to another tenant. Both must refuse. */
  async function probe(): Promise<void> {
    const others = ledger.entries.where(
      (entry) => isHidden(entry) || (entry.promised && entry.tenant !== tenant),
    );
    const { id } = others[world.choices.choose(others.length + 1)] ?? {};
    if (id === undefined) return;
    if (world.choices.choose(3) === 2) return cancelInStore(id);
    const method = world.choices.choose(2) === 0 ? "GET" : "DELETE";
    judgeHidden(ledger, id, [await askAbout(method, id), await askAbout(method, UNKNOWN_ID)]);
  }

  async function askAbout(
    method: "GET" | "DELETE",
    id: string,
    fields: Partial<typeof WAIT> = {},
  ): Promise<HttpResponse | undefined> {
    const { moment } = ledger.entries;
    const response = await ask(stage, apis, caller, [method, `/operations/${id}`], fields);
    world.note(`${name}: ${method} ${id.slice(-4)} -> ${statusOf(response)} ${textOf(response)}`);
    judgeStatus(ledger, { id, tenant, moment }, response);
    return response;
  }

  async function cancelInStore(id: string): Promise<void> {
    const { service, process } = apis.any();
    const cancelling = service.backend.operations.requestCancel(id, tenant).catch(() => {});
    await Promise.race([cancelling, process.death]);
  }
}

function textOf(response: HttpResponse | undefined): string {
  return response?.status === 404 ? "" : String(response?.body ?? "");
}
