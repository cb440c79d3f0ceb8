import type { HttpResponse } from "../../../http/message/message.js";
import { judgeAccepted } from "../ledger/answers.js";
import type { Stage } from "../stage.js";
import { type Apis, send } from "./actors.js";
import { type Answer, type Caller, type Draft, describeDraft, toRequest } from "./drafts.js";

/** Headers and body of a request. */
interface HeadersAndBody {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Clients wait with this preference. */
export const WAIT = { headers: { prefer: "wait=20" } } as const;

/** Sends a request of a client to any process. Returns `undefined` if the process died before it replied. */
export async function ask(
  { ledger }: Stage,
  apis: Apis,
  { name, tenant }: Caller,
  [method, path]: readonly [method: string, path: string],
  { headers = {}, body }: HeadersAndBody = {},
): Promise<HttpResponse | undefined> {
  const authorization = `${name} ${tenant}`;
  const request = { method, path, headers: { authorization, ...headers }, body };
  const response = await send(apis.any(), request);
  if (response?.status === 500) ledger.violated("I3", "a request got a 500 response");
  return response;
}

/** Submits with a request. */
export async function submitByRequest(
  stage: Stage,
  apis: Apis,
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
  const response = await ask(stage, apis, caller, ["POST", definition.path], { headers, body });
  const id = idOf(response);
  world.note(`${caller.name}: POST ${describeDraft(draft)} -> ${statusOf(response)} ${id ?? ""}`);
  if (response?.status === 429) {
    ledger.keys.refusedAsFull(request);
    return "full";
  }
  if (response === undefined || response.status === 503) return "retry";
  if (response.status === 409) {
    ledger.keys.refusedAsInProgress(request);
    return "retry";
  }
  if (id === undefined) {
    if (String(response.body).includes("#idempotency-key-reused")) ledger.payloads.refusedAsReused(request);
    return "refused";
  }
  const replayed = response.headers["idempotent-replayed"] === "true";
  ledger.promised(request, { operationId: id, replayed });
  judgeAccepted(ledger, { id, tenant, moment: request.moment }, response);
  return { id };
}

/** Describes the status of a response in a trace. */
export function statusOf(response: HttpResponse | undefined): number | "connection lost" {
  return response?.status ?? "connection lost";
}

function idOf(response: HttpResponse | undefined): string | undefined {
  const monitor =
    response?.headers["operation-location"] ??
    (response?.status === 202 ? response.headers.location : undefined);
  return monitor?.slice(monitor.lastIndexOf("/") + 1);
}
