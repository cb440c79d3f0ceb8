import type { OperationPage } from "../../operator/list.js";
import type { RedrivePreview, RedriveRun } from "../../operator/redrive/redrive-options.js";
import type { CancelOutcome, RedriveResult } from "../../ports/operation-store.js";
import type { Details, Overview, Payload } from "../wire.js";

export const readOverview = (): Promise<Overview> => request("api/overview");
export const readList = (filter: URLSearchParams): Promise<OperationPage> =>
  request(`api/operations?${filter}`);
export const readDetails = (id: string): Promise<Details> => request(pathOf(id));
export const readPayload = (id: string): Promise<Payload> => request(`${pathOf(id)}/payload`);
export const cancel = (id: string): Promise<{ outcome: CancelOutcome }> => change(`${pathOf(id)}/cancel`);
export const redrive = (id: string): Promise<RedriveResult> => change(`${pathOf(id)}/redrive`);

/** Filter of a bulk redrive, as the operator takes it. */
export type BulkFilter = Readonly<Record<string, string | number | boolean>>;

export const countMatches = (filter: BulkFilter): Promise<RedrivePreview> =>
  change("api/redrives", { filter, dryRun: true });
export const redriveSome = (filter: BulkFilter, cursor: string | undefined): Promise<RedriveRun> =>
  change("api/redrives", { filter, cursor });

function pathOf(id: string): string {
  return `api/operations/${encodeURIComponent(id)}`;
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
