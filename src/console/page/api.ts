import type { OperatorAction } from "../../operator/actions.js";
import type { OperatorCancelResult } from "../../operator/cancel.js";
import type { Failures } from "../../operator/failures.js";
import type { OperationPage } from "../../operator/list.js";
import type { OperationOutput } from "../../operator/output.js";
import type { RedrivePreview, RedriveRun } from "../../operator/redrive-many.js";
import type { OperatorRedriveResult } from "../../operator/redrive-one.js";
import type { Changed, Details, Overview, Payload, Sent, Series } from "../wire.js";

export const readOverview = (range: string): Promise<Sent<Overview>> =>
  request(`api/overview?${new URLSearchParams({ range })}`);
export const readSeries = (definition: string, range: string): Promise<Sent<Series>> =>
  request(`api/series?${new URLSearchParams({ definition, range })}`);
export const readActions = (definition: string): Promise<{ actions: readonly Sent<OperatorAction>[] }> =>
  request(`api/actions?${new URLSearchParams({ definition })}`);
export const readList = (filter: URLSearchParams): Promise<Sent<OperationPage>> =>
  request(`api/operations?${filter}`);
export const readFailures = (filter: URLSearchParams): Promise<Sent<Failures>> =>
  request(`api/failures?${filter}`);
export const readDetails = (operationId: string): Promise<Sent<Details>> => request(pathOf(operationId));
export const readPayload = (operationId: string): Promise<Payload> =>
  request(`${pathOf(operationId)}/payload`);
export const readOutput = (operationId: string, from: string | undefined): Promise<OperationOutput> =>
  request(`${pathOf(operationId)}/output${from === undefined ? "" : `?from=${from}`}`);
export const cancel = (operationId: string): Promise<Sent<Changed<OperatorCancelResult>>> =>
  change(`${pathOf(operationId)}/cancel`);
export const redrive = (operationId: string): Promise<Sent<Changed<OperatorRedriveResult>>> =>
  change(`${pathOf(operationId)}/redrive`);

/** Filter of a bulk redrive, as the operator takes it. Times are RFC 3339. */
export type BulkFilter = Readonly<Record<string, string | boolean>>;

export const countMatches = (filter: BulkFilter): Promise<RedrivePreview> =>
  change("api/redrives", { filter, dryRun: true });
export const redriveSome = (filter: BulkFilter, cursor: string | undefined): Promise<RedriveRun> =>
  change("api/redrives", { filter, cursor });

export const changePause = (definition: string, paused: boolean): Promise<object> =>
  change("api/pauses", { definition, paused });

function pathOf(operationId: string): string {
  return `api/operations/${encodeURIComponent(operationId)}`;
}

function change<Data>(path: string, body: unknown = {}): Promise<Data> {
  const headers = { "content-type": "application/json" };
  return request(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Throws an error whose message is for the person in front of the page. */
async function request<Data>(path: string, options: RequestInit = {}): Promise<Data> {
  const reply = await fetch(path, options).catch(() => undefined);
  if (reply === undefined) throw new Error("The server cannot be reached.");
  if (reply.ok) return reply.json();
  if (reply.status === 401) throw new Error("You are no longer signed in. Reload the page.");
  const { title, detail } = await reply.json().catch(() => ({}));
  throw new Error(detail ?? title ?? `The server answered with status ${reply.status}.`);
}
