import type { HttpResponse } from "../../../http/message/message.js";
import { judgeHidden, judgeStatus } from "../ledger/answers.js";
import { isHidden } from "../ledger/entry.js";
import type { Stage } from "../stage.js";
import { Process } from "../world/world.js";
import { type Api, startApi } from "./actors.js";
import { submitByCall } from "./calls.js";
import { type Answer, about, chooseDraft, type Draft } from "./drafts.js";
import { submitInOwnTransaction } from "./own-transaction.js";
import { ask, type Caller, statusOf, submitByRequest } from "./requests.js";

const MAX_TRIES = 300;
/** Looks like an id of this package and is none. */
const UNKNOWN_ID = "00000000-0000-7000-8000-ffffffffffff";

/** The processes that clients can reach. One that died is replaced when somebody turns to it. */
export interface Entrances {
  any(): Api;
}

export function createEntrances(stage: Stage, count: number): Entrances {
  const apis = Array.from({ length: count }, (_, index) => startApi(stage, `api-${index + 1}`));
  return {
    any: () => {
      const index = stage.world.choices.choose(count);
      const api = apis[index] as Api;
      if (!api.process.dead) return api;
      const next = startApi(stage, api.process.name);
      apis[index] = next;
      return next;
    },
  };
}

/** Submits, repeats until it is answered, polls, now and then cancels, and asks for what it must not get. */
export async function runClient(
  stage: Stage,
  entrances: Entrances,
  caller: Caller,
  over: () => boolean,
): Promise<void> {
  const { world, ledger } = stage;
  const { name, tenant } = caller;
  const clock = world.clockOf(new Process(name));
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(ms, resolve));

  while (!over()) {
    await follow(await submit(chooseDraft(stage, tenant)));
    await wait([1_000, 5_000, 60_000][world.choices.choose(3)] ?? 0);
  }

  /** Every try may go another way: by a request or by a call, in a transaction or without, of any process. */
  async function submit(draft: Draft): Promise<string | undefined> {
    const tries = draft.key === undefined ? 1 : MAX_TRIES;
    for (let made = 0; made < tries; made += 1) {
      const answer = await submitOnce(draft);
      if (answer === "refused") return undefined;
      if (answer !== "again") return answer.id;
      await wait(1_000);
    }
    if (draft.key !== undefined) ledger.violated("I5", `${name} was never answered about ${about(draft)}`);
    return undefined;
  }

  function submitOnce(draft: Draft): Promise<Answer> {
    const shares = stage.transactions.users !== undefined;
    const way = world.choices.weighted([
      ["request", 6],
      ["call", 3],
      ["transaction", shares ? 3 : 0],
    ]);
    if (way === "request") return submitByRequest(stage, entrances, caller, draft);
    if (way === "call") return submitByCall(stage, entrances.any(), draft);
    return submitInOwnTransaction(stage, entrances.any(), draft);
  }

  async function follow(operationId: string | undefined): Promise<void> {
    const next = world.choices.weighted([
      ["poll", 4],
      ["leave", 2],
      ["cancel", 1],
      ["pry", 1],
    ]);
    if (next === "pry") return pry();
    if (operationId === undefined || next === "leave") return;
    await askAbout(next === "poll" ? "GET" : "DELETE", operationId);
  }

  /** Asks for an operation of another tenant, or a hidden one: the service, and the store, which promises the same. */
  async function pry(): Promise<void> {
    const others = ledger.entries.where(
      (entry) => isHidden(entry) || (entry.promised && entry.tenant !== tenant),
    );
    const { id } = others[world.choices.choose(others.length + 1)] ?? {};
    if (id === undefined) return;
    if (world.choices.choose(3) === 2) return cancelInStore(id);
    const method = world.choices.choose(2) === 0 ? "GET" : "DELETE";
    judgeHidden(ledger, id, [await askAbout(method, id), await askAbout(method, UNKNOWN_ID)]);
  }

  async function askAbout(method: "GET" | "DELETE", id: string): Promise<HttpResponse | undefined> {
    const { moment } = ledger.entries;
    const response = await ask(stage, entrances, caller, [method, `/operations/${id}`]);
    world.note(`${name}: ${method} ${id.slice(-4)} -> ${statusOf(response)} ${textOf(response)}`);
    judgeStatus(ledger, { id, tenant, moment }, response);
    return response;
  }

  async function cancelInStore(id: string): Promise<void> {
    const { service, process } = entrances.any();
    const cancelling = service.backend.operations.requestCancel(id, tenant).catch(() => {});
    await Promise.race([cancelling, process.death]);
  }
}

function textOf(response: HttpResponse | undefined): string {
  return response?.status === 404 ? "" : String(response?.body ?? "");
}
