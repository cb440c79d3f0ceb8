import type { Operation } from "async-request-reply/ports";
import { groupBy } from "./group-by.js";
import { type Attempt, attemptsOf, type History } from "./history.js";
import { kinds } from "./kinds.mjs";
import { lengthOf, type Span, whenMoreThan } from "./spans.js";

/** Clocks of processes differ, and a processor ends a moment before its attempt is settled. Milliseconds. */
const TOLERANCE_MS = 5;

type Worked = Attempt & { readonly operation: Operation };

/** Returns where more operations ran at once than their limits allow, and where a lane was not in order. */
export function checkPlaces(history: History): readonly string[] {
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
        ...(lanes === undefined ? [] : lanesOutOfOrder(definition, own)),
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

/** Of two operations of a lane, the later one must begin after the earlier one has ended. */
function lanesOutOfOrder(definition: string, attempts: readonly Worked[]): readonly string[] {
  return [...groupBy(attempts, ({ operation }) => operation.lane ?? "")].flatMap(([lane, own]) => {
    const begun = new Map<Operation, Span>();
    for (const { operation, ran } of own) if (!begun.has(operation)) begun.set(operation, ran);
    const inOrder = [...begun.keys()].sort(byPosition);
    return inOrder.flatMap((operation, index) => {
      const before = inOrder[index - 1];
      const from = begun.get(operation)?.from ?? 0;
      if (before === undefined || from + TOLERANCE_MS >= (before.settledAt ?? from)) return [];
      return [`${operation.id} of lane ${lane} of ${definition} began before ${before.id} had ended`];
    });
  });
}

/** Orders operations of a lane by their turns. */
export function byPosition(one: Operation, other: Operation): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

function namesOf(attempts: readonly Worked[]): string {
  return attempts.map(({ operationId, process }) => `${operationId} in ${process}`).join(", ");
}
