import type { HttpResponse } from "../../http/message/message.js";
import { type Api, send, startApi } from "./actors.js";
import { judgeAccepted, judgeHidden, judgeStatus } from "./answers.js";
import { isHidden } from "./entry.js";
import type { Request } from "./ledger.js";
import { submitInOwnTransaction } from "./own-transaction.js";
import type { Stage } from "./stage.js";
import { Process } from "./world.js";

const KEYS = ["k1", "k2"];
const MAX_TRIES = 300;
/** Looks like an id of this package and is none. */
const UNKNOWN_ID = "00000000-0000-7000-8000-ffffffffffff";

/** The processes that clients can reach. One that died is replaced when somebody turns to it. */
export interface Entrances {
  any(): Api;
}

/** A client, on behalf of a tenant. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
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
  { name, tenant }: Caller,
  over: () => boolean,
): Promise<void> {
  const { world, ledger } = stage;
  const clock = world.clockOf(new Process(name));
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(ms, resolve));
  // What is created before the reply cannot be submitted in a transaction.
  const shares = stage.transactions.users !== undefined && !stage.creates;

  while (!over()) {
    const key = KEYS[world.choices.choose(KEYS.length)] as string;
    const kind = world.choices.weighted([
      ["order", 12],
      ["other order", 2],
      ["refused", 1],
    ]);
    const quantity = { order: 1, "other order": 2, refused: 0 }[kind];
    if (shares && world.choices.choose(4) === 3)
      await submitInOwnTransaction(stage, entrances.any(), { tenant, key });
    else await follow(await submit(kind === "refused" ? `refused-${key}` : key, quantity));
    await wait([1_000, 5_000, 60_000][world.choices.choose(3)] ?? 0);
  }

  async function submit(key: string, quantity: number): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const request: Request = { tenant, key, startedAt: world.now };
      const { moment } = ledger.entries;
      const headers = { "content-type": "application/json", "idempotency-key": key };
      const body = JSON.stringify({ itemId: "item", quantity });
      const response = await ask("POST", "/orders", { headers, body });
      const id = idOf(response);
      world.note(`${name}: POST ${key} x${quantity} -> ${statusOf(response)} ${id ?? ""}`);
      if (id !== undefined && response !== undefined) {
        ledger.promised(request, id);
        judgeAccepted(ledger, { id, tenant, moment }, response);
      }
      if (response?.status === 409) ledger.toldToWait(request);
      if (![undefined, 409, 503].includes(response?.status)) return id;
      await wait(1_000);
    }
    ledger.violated("I5", `${name} was never answered about ${key}`);
    return undefined;
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
    const response = await ask(method, `/operations/${id}`, {});
    world.note(`${name}: ${method} ${id.slice(-4)} -> ${statusOf(response)} ${textOf(response)}`);
    judgeStatus(ledger, { id, tenant, moment }, response);
    return response;
  }

  async function cancelInStore(id: string): Promise<void> {
    const { service, process } = entrances.any();
    const cancelling = service.backend.operations.requestCancel(id, tenant).catch(() => {});
    await Promise.race([cancelling, process.death]);
  }

  async function ask(
    method: string,
    path: string,
    { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<HttpResponse | undefined> {
    const authorization = `${name} ${tenant}`;
    const response = await send(entrances.any(), {
      method,
      path,
      headers: { authorization, ...headers },
      body,
    });
    if (response?.status === 500) ledger.violated("I3", "a request was answered with 500");
    return response;
  }
}

function statusOf(response: HttpResponse | undefined): number | "connection lost" {
  return response?.status ?? "connection lost";
}

function textOf(response: HttpResponse | undefined): string {
  return response?.status === 404 ? "" : String(response?.body ?? "");
}

function idOf(response: HttpResponse | undefined): string | undefined {
  const monitor =
    response?.headers["operation-location"] ??
    (response?.status === 202 ? response.headers.location : undefined);
  return monitor?.slice(monitor.lastIndexOf("/") + 1);
}
