import { canonicalJson } from "../../../contract/json/canonical-json.js";
import { isTerminal } from "../../../contract/operation.js";
import { shownProblem } from "../../../contract/problem.js";
import type { HttpResponse } from "../../../http/message/message.js";
import type { Submitted } from "../../../service/submit.js";
import type { Content } from "./contents.js";
import { type Entry, isHidden } from "./entry.js";
import type { Ledger } from "./ledger.js";

/** A request about one operation. */
export interface Question {
  readonly id: string;
  readonly tenant: string;
  /** Number of changes before the request was sent. */
  readonly moment: number;
}

/** Judges the response to a GET or DELETE of an operation (I2, I8, I9). Ignores lost responses and 503. */
export function judgeStatus(ledger: Ledger, question: Question, response: HttpResponse | undefined): void {
  const { id, tenant, moment } = question;
  const entry = ledger.entries.get(id);
  if (entry === undefined || response === undefined || response.status === 503) return;
  if (entry.tenant !== tenant || isHidden(entry)) {
    if (response.status !== 404)
      ledger.violated("I9", `${tenant} got ${response.status} for ${id}, which it must not see`);
  } else if (response.status === 404) {
    const promised = entry.promised && !ledger.entries.mayBeGone(entry);
    if (promised) ledger.violated("I2", `${id} was promised but a client got a 404`);
  } else if (response.status === 200 || response.status === 202) {
    const shown = canonicalJson(bodyOf(response));
    const possible = statusesSince(entry, moment, ledger.outputs.has(entry));
    checkShown(ledger, id, { shown, possible });
  } else ledger.violated("I8", `a client got ${response.status} for ${id}`);
}

/** Judges the response to an accepted submission (I8): a 202 with its status, or a 201 with its resource. */
export function judgeAccepted(ledger: Ledger, { id, moment }: Question, response: HttpResponse): void {
  const entry = ledger.entries.get(id);
  if (entry === undefined) return;
  const { status, headers } = response;
  const body = bodyOf(response);
  const shown = canonicalJson(status === 201 ? { body, location: headers.location ?? null } : body);
  const possible = entry.contents.since(moment).map((content) => acceptedAs(status, id, content));
  checkShown(ledger, id, { shown, possible });
}

function checkShown(
  ledger: Ledger,
  id: string,
  { shown, possible }: { readonly shown: string; readonly possible: readonly string[] },
): void {
  if (!possible.includes(shown))
    ledger.violated("I8", `${id} was read by a client as ${shown}, expected one of ${possible}`);
}

/** Judges the status and the resource that an accepted call returned (I8). */
export function judgeSubmitted(
  ledger: Ledger,
  { id, moment }: Question,
  { status, resource }: Submitted,
): void {
  const entry = ledger.entries.get(id);
  if (entry === undefined) return;
  const returned = canonicalJson({ status, resource: resource ?? null });
  const possible = entry.contents.since(moment).map((content) => submittedAs(content));
  if (!possible.includes(returned))
    ledger.violated("I8", `submit() returned ${returned} for ${id}, expected one of ${possible}`);
}

/** Judges two responses about operations that a tenant must not see. They must not reveal which one exists (I9). */
export function judgeHidden(
  ledger: Ledger,
  id: string,
  answers: readonly [HttpResponse | undefined, HttpResponse | undefined],
): void {
  if (answers.some((response) => response?.status !== 404)) return;
  const [known, unknown] = answers.map((response) => JSON.stringify(response));
  if (known !== unknown)
    ledger.violated("I9", `the 404 for ${id} is ${known}, the one for an unknown id is ${unknown}`);
}

/** Returns all bodies that the status endpoint may have returned since a moment. */
function statusesSince(entry: Entry, moment: number, hasOutput: boolean): string[] {
  return entry.contents
    .since(moment)
    .flatMap((content) =>
      [...entry.attemptsRead].map((attempt) => statusOf(entry, content, { attempt, hasOutput })),
    );
}

/** Returns the body of the status endpoint (spec §4.2). */
function statusOf(
  { id, recorded, createdAt = 0, settledAt = 0 }: Entry,
  { state, progress, cancelRequested, result, error }: Content,
  { attempt, hasOutput }: { readonly attempt: number; readonly hasOutput: boolean },
): string {
  const output = { href: `/operations/${id}/output`, closed: isTerminal(state) };
  return canonicalJson({
    operationId: id,
    status: state,
    definition: recorded.definition,
    createdAt: new Date(createdAt).toISOString(),
    attempt,
    ...(isTerminal(state) ? { finishedAt: new Date(settledAt).toISOString() } : {}),
    ...(cancelRequested === undefined || isTerminal(state) ? {} : { cancelRequested }),
    ...(progress === undefined || isTerminal(state) ? {} : { progress: JSON.parse(progress) }),
    ...(result === undefined ? {} : { result: JSON.parse(result) }),
    ...(error === undefined ? {} : { error: shownProblem(JSON.parse(error)) }),
    ...(hasOutput ? { output } : {}),
  });
}

function acceptedAs(status: number, operationId: string, { state, resource }: Content): string {
  if (status !== 201) return canonicalJson({ operationId, status: state });
  return resource === undefined ? "no resource" : canonicalJson(JSON.parse(resource));
}

function submittedAs({ state, resource = "null" }: Content): string {
  const status = state === "preparing" ? "pending" : state;
  return canonicalJson({ status, resource: JSON.parse(resource) });
}

function bodyOf({ body }: HttpResponse): unknown {
  return JSON.parse(String(body));
}
