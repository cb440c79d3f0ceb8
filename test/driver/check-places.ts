import type { Operation } from "async-request-reply/ports";
import { groupBy } from "./group-by.js";
import { type Attempt, attemptsOf, type History } from "./history.js";
import { kinds } from "./kinds.mjs";
import { lengthOf, type Span, whenMoreThan } from "./spans.js";

/** A processor ends a moment before its attempt is settled. Milliseconds. */
const TOLERANCE_MS = 5;

type Worked = Attempt & { readonly operation: Operation };

/** Returns where more operations ran at once than their limits allow, and where a lane was not in order. */
export function checkPlaces(history: History): readonly string[] {
  const acceptances = acceptancesIn(history);
  const worked = attemptsOf(history).flatMap((attempt): Worked[] => {
    const operation = history.operations.get(attempt.operationId);
    return operation === undefined ? [] : [{ ...attempt, operation }];
  });
  return [...groupBy(worked, ({ operation }) => operation.definition)].flatMap(([definition, attempts]) => {
    const { limits = {}, lanes } = kinds[definition] ?? {};
    const { running, runningPerTenant } = limits;
    const byTenant = groupBy(attempts, ({ operation }) => operation.tenant);
    return [
      ...(running === undefined ? [] : exceeded(`limit ${running} of ${definition}`, running, attempts)),
      ...[...byTenant].flatMap(([tenant, own]) => [
        ...(runningPerTenant === undefined
          ? []
          : exceeded(`limit ${runningPerTenant} of ${definition} for ${tenant}`, runningPerTenant, own)),
        ...(lanes === undefined ? [] : lanesOutOfOrder(definition, own, acceptances)),
      ]),
    ];
  });
}

function exceeded(what: string, most: number, attempts: readonly Worked[]): readonly string[] {
  const spans = whenMoreThan(
    most,
    attempts.map(({ ran }) => ran),
  ).filter((span) => lengthOf(span) > TOLERANCE_MS);
  return spans.map(({ from, to }) => {
    const running = attempts.filter(({ ran }) => ran.from < to && ran.to > from);
    return `${what} was exceeded for ${Math.round(to - from)} ms at ${Math.round(from)}, by ${namesOf(running)}`;
  });
}

/**
 * Returns where two operations of a lane ran at once, and where one began before another had ended that was accepted before
 * the one was sent.
 */
function lanesOutOfOrder(
  definition: string,
  attempts: readonly Worked[],
  acceptances: ReadonlyMap<string, Acceptance>,
): readonly string[] {
  return [...groupBy(attempts, ({ operation }) => operation.lane ?? "")].flatMap(([lane, own]) => {
    const first = new Map<Operation, Span>();
    for (const { operation, ran } of own) if (!first.has(operation)) first.set(operation, ran);
    const wrong = [...first].flatMap(([operation, { from }]) =>
      [...first.keys()]
        .filter((before) => {
          const { sentAt = 0 } = acceptances.get(operation.id) ?? {};
          const { acceptedAt = Number.POSITIVE_INFINITY } = acceptances.get(before.id) ?? {};
          return acceptedAt < sentAt && from + TOLERANCE_MS < (before.settledAt ?? 0);
        })
        .map(
          (before) => `${operation.id} of lane ${lane} of ${definition} began before ${before.id} had ended`,
        ),
    );
    return [...exceeded(`lane ${lane} of ${definition}`, 1, own), ...wrong];
  });
}

/** When an operation was submitted, and when the process had the answer. */
interface Acceptance {
  readonly sentAt: number;
  readonly acceptedAt: number;
}

function acceptancesIn({ lines }: History): ReadonlyMap<string, Acceptance> {
  const sent = new Map<string, number>();
  const acceptances = new Map<string, Acceptance>();
  for (const line of lines) {
    if (line.what === "sent") sent.set(line.submission, line.at);
    // A replay does not say when the operation was submitted.
    if (line.what === "recorded" && !line.replayed)
      acceptances.set(line.operationId, { sentAt: sent.get(line.submission) ?? 0, acceptedAt: line.at });
  }
  return acceptances;
}

/** Orders operations of a lane by their turns. */
export function byPosition(one: Operation, other: Operation): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

function namesOf(attempts: readonly Worked[]): string {
  return attempts.map(({ operationId, process }) => `${operationId} in ${process}`).join(", ");
}
