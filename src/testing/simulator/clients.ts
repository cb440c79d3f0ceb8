import type { HttpResponse } from "../../http/message.js";
import { type Api, type Stage, send, startApi } from "./actors.js";
import type { Request } from "./ledger.js";
import { Process } from "./world.js";

const KEYS = ["k1", "k2"];
const MAX_TRIES = 300;

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

/** Submits, repeats until it is answered, and now and then cancels or asks for something that is refused. */
export async function runClient(
  stage: Stage,
  entrances: Entrances,
  name: string,
  over: () => boolean,
): Promise<void> {
  const { world } = stage;
  const client = new Process(name);
  const clock = world.clockOf(client);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(ms, resolve));

  while (!over()) {
    const key = KEYS[world.choices.choose(KEYS.length)] as string;
    const kind = world.choices.weighted([
      ["order", 12],
      ["other order", 2],
      ["refused", 1],
    ]);
    const quantity = { order: 1, "other order": 2, refused: 0 }[kind];
    const operationId = await submit(kind === "refused" ? `refused-${key}` : key, quantity);
    if (operationId !== undefined && world.choices.choose(8) === 7) await cancel(operationId);
    await wait([1_000, 5_000, 60_000][world.choices.choose(3)] ?? 0);
  }

  async function submit(key: string, quantity: number): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const request: Request = { scope: name, key, startedAt: world.now };
      const headers = { authorization: name, "content-type": "application/json", "idempotency-key": key };
      const body = JSON.stringify({ itemId: "item", quantity });
      const response = await send(entrances.any(), { method: "POST", path: "/orders", headers, body });
      world.note(
        `${name}: POST ${key} x${quantity} -> ${response?.status ?? "connection lost"} ${idOf(response) ?? ""}`,
      );
      const answered = judge(request, response);
      if (answered) return idOf(response);
      await wait(1_000);
    }
    stage.ledger.violated("I5", `${name} was never answered about ${key}`);
    return undefined;
  }

  /** Whether this is the end of the request: no more of it is repeated. */
  function judge(request: Request, response: HttpResponse | undefined): boolean {
    const { ledger } = stage;
    const id = idOf(response);
    if (id !== undefined) ledger.promised(request, id);
    if (response?.status === 409) ledger.toldToWait(request);
    if (response?.status === 500) ledger.violated("I3", `a request was answered with 500`);
    return ![undefined, 409, 503].includes(response?.status);
  }

  async function cancel(operationId: string): Promise<void> {
    const path = `/operations/${operationId}`;
    const response = await send(entrances.any(), {
      method: "DELETE",
      path,
      headers: { authorization: name },
    });
    world.note(`${name}: DELETE ${operationId.slice(-4)} -> ${response?.status ?? "connection lost"}`);
  }
}

function idOf(response: HttpResponse | undefined): string | undefined {
  const monitor =
    response?.headers["operation-location"] ??
    (response?.status === 202 ? response.headers.location : undefined);
  return monitor?.slice(monitor.lastIndexOf("/") + 1);
}
