import type { FailureGroup } from "../../operator/failures.js";
import type { BoundedCount } from "../../ports/operation-reads.js";
import type { EndedWork, Overview, Sent } from "../wire.js";
import { type Child, element } from "./dom.js";
import { ago, clockTime, counted, duration } from "./format.js";

/** From the one that needs attention most to the one that needs none. */
export const STATES = ["failing", "behind", "paused", "flowing", "idle"] as const;

/** State of a definition, or of all together. */
export type State = (typeof STATES)[number];

/** Words for people who do not see colors. */
export const STATE_NAMES: Readonly<Record<State, string>> = {
  failing: "Failing",
  behind: "Behind",
  paused: "Paused",
  flowing: "Flowing",
  idle: "Idle",
};

/** How a definition is. */
export interface Health {
  readonly definition: string;
  readonly state: State;
  /** Why it is in this state. */
  readonly reason: readonly Child[];
}

/** Everything that is known about a definition. */
export interface Known {
  readonly definition: string;
  readonly stats: Sent<Overview>["stats"][number] | undefined;
  readonly lastHour: EndedWork | undefined;
  /** Work that ended in the range of the page. */
  readonly recent: EndedWork | undefined;
  /** Groups of its open failures, as they were read last. */
  readonly groups: readonly Sent<FailureGroup>[];
}

/** Work that is due for longer is not begun as fast as it comes. */
const BEHIND_MS = 60_000;
const NONE: BoundedCount = { count: 0, more: false };

/** Failures that are older say nothing about now. */
const RECENT_MS = 3_600_000;

/** Returns how a definition is, and why. */
export function healthOf(known: Known): Health {
  const { definition } = known;
  const found = [failing, behind, paused].map((check) => check(known)).filter((each) => each !== undefined);
  const { state, reason } = found[0] ?? calm(known);
  const others = found.slice(1).flatMap((each) => [", ", ...each.reason]);
  return { definition, state, reason: [...reason, ...others] };
}

type Found = Omit<Health, "definition">;

function failing({ stats, groups, lastHour }: Known): Found | undefined {
  const latest = groups.map(({ lastFailedAt }) => lastFailedAt).reduce(later, "");
  const isRecent = latest !== "" && Date.now() - Date.parse(latest) < RECENT_MS;
  const hasFailed = (stats?.failed.count ?? 0) > 0;
  if (!hasFailed || !(isRecent || (lastHour?.failed ?? 0) > 0)) return undefined;
  const open = counted(stats?.failed ?? NONE);
  const when = latest === "" ? [] : [", the latest ", ago(latest)];
  return { state: "failing", reason: [`${open} failed`, ...when] };
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

function behind({ stats, lastHour }: Known): Found | undefined {
  if (stats === undefined || stats.paused !== undefined || (stats.oldestDueMs ?? 0) < BEHIND_MS)
    return undefined;
  const { due, running, oldestDueMs = 0 } = stats;
  const idle = lastHour?.served === false ? "no worker has served it in the last hour" : "no worker runs any";
  const runs = running.count === 0 ? idle : `${counted(running)} run`;
  return {
    state: "behind",
    reason: [`${counted(due)} due, the oldest for ${duration(oldestDueMs)}, ${runs}`],
  };
}

function paused({ stats }: Known): Found | undefined {
  if (stats?.paused === undefined) return undefined;
  const { since, by } = stats.paused;
  const who = by === undefined ? "" : ` by ${by}`;
  return {
    state: "paused",
    reason: [`paused${who} since `, clockTime(since), `, ${counted(stats.due)} wait`],
  };
}

function calm({ stats, lastHour }: Known): Found {
  const { running = NONE, due = NONE, failed = NONE } = stats ?? {};
  const completed = { count: lastHour?.completed ?? 0, more: false };
  const isIdle = [running, due, completed].every(({ count }) => count === 0);
  const parts = [
    ...said(running, "run"),
    ...said(due, "due"),
    ...said(completed, "completed in the last hour"),
    ...(isIdle ? ["nothing to do"] : []),
    ...said(failed, "failed before the last hour"),
  ];
  return { state: isIdle ? "idle" : "flowing", reason: [parts.join(", ")] };
}

function said(count: BoundedCount, what: string): readonly string[] {
  return count.count === 0 ? [] : [`${counted(count)} ${what}`];
}

/** Returns the state that needs attention most. */
export function worstOf(health: readonly Health[]): State {
  return STATES.find((state) => health.some((each) => each.state === state)) ?? "idle";
}

/** Creates the dot of a state, with its name for people who do not see it. */
export function dotOf(state: State): HTMLElement {
  return element(
    "span",
    { class: `dot ${state}` },
    element("span", { class: "unseen" }, `${STATE_NAMES[state]}: `),
  );
}
