import type { HttpResponse } from "../../../http/message/message.js";
import { judgeAccepted } from "../ledger/answers.js";
import type { Stage } from "../stage.js";
import { send } from "./actors.js";
import type { Entrances } from "./clients.js";
import { type Answer, about, type Draft, toRequest } from "./drafts.js";

/** A client, on behalf of a tenant. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
}

/** What a request has besides its method and its path. */
interface Rest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request of a client to any process. Undefined if the process died before it answered. */
export async function ask(
  { ledger }: Stage,
  entrances: Entrances,
  { name, tenant }: Caller,
  [method, path]: readonly [method: string, path: string],
  { headers = {}, body }: Rest = {},
): Promise<HttpResponse | undefined> {
  const authorization = `${name} ${tenant}`;
  const request = { method, path, headers: { authorization, ...headers }, body };
  const response = await send(entrances.any(), request);
  if (response?.status === 500) ledger.violated("I3", "a request was answered with 500");
  return response;
}

/** Submits by a request. */
export async function submitByRequest(
  stage: Stage,
  entrances: Entrances,
  caller: Caller,
  draft: Draft,
): Promise<Answer> {
  const { world, ledger } = stage;
  const { definition, tenant, key, input } = draft;
  const request = toRequest(stage, draft);
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
  const body = JSON.stringify(input);
  const response = await ask(stage, entrances, caller, ["POST", definition.path], { headers, body });
  const id = idOf(response);
  world.note(`${caller.name}: POST ${about(draft)} -> ${statusOf(response)} ${id ?? ""}`);
  if (response === undefined || response.status === 503) return "again";
  if (response.status === 409) {
    ledger.toldToWait(request);
    return "again";
  }
  if (id === undefined) {
    if (String(response.body).includes("#idempotency-key-reused")) ledger.reused(request);
    return "refused";
  }
  const replayed = response.headers["idempotent-replayed"] === "true";
  ledger.promised(request, { operationId: id, replayed });
  judgeAccepted(ledger, { id, tenant, moment: request.moment }, response);
  return { id };
}

/** Names the status of an answer in a trace. */
export function statusOf(response: HttpResponse | undefined): number | "connection lost" {
  return response?.status ?? "connection lost";
}

function idOf(response: HttpResponse | undefined): string | undefined {
  const monitor =
    response?.headers["operation-location"] ??
    (response?.status === 202 ? response.headers.location : undefined);
  return monitor?.slice(monitor.lastIndexOf("/") + 1);
}
