import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { logEvents, type ServiceEvent } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { type Page, page, root } from "../support/pages.js";

type EventNamed<Name> = Extract<ServiceEvent, { readonly event: Name }>;

/** The members of each event. */
const about = { operationId: "1", definition: "orders", tenant: "demo", attempt: 1, createdAt: 0 };
const EVENTS: { readonly [Name in ServiceEvent["event"]]: Omit<EventNamed<Name>, "event"> } = {
  "operation.accepted": about,
  "operation.replayed": about,
  "operation.started": { ...about, process: "0badcafe" },
  "operation.completed": about,
  "operation.failed": about,
  "operation.retried": { ...about, delayMs: 1, error: "" },
  "operation.released": about,
  "operation.expired": about,
  "operation.cancelled": about,
  "attempt.lost": about,
  "progress.dropped": { ...about, error: "" },
  "operation.redriven": { ...about, retryOf: "2" },
  "operator.acted": { ...about, action: "cancel" },
  "webhook.delivered": { ...about, deliveryId: "3", status: 204 },
  "webhook.failed": { ...about, deliveryId: "3", error: "" },
  "webhook.postponed": { origin: "https://a.example", tenant: "demo", delayMs: 1 },
  "operation.purged": { count: 1 },
  "operation.abandoned": about,
  "key.reused": about,
  "request.refused": { method: "GET", status: 404, code: "NOT_FOUND", error: "" },
  "background.failed": { step: "ring", error: "" },
  "service.no-authorize": {},
  "definition.unattended": { definition: "orders", due: 1, oldestDueMs: 1 },
  "service.memory-only": { inProduction: false },
};

/** Events about an operation or its key whose type lacks a tenant. An entry here does not compile. */
type WithoutTenant = Exclude<
  Extract<ServiceEvent, { operationId?: unknown } | { attempt?: unknown } | { event: `key.${string}` }>,
  { readonly tenant: string }
>["event"];
const WITHOUT_TENANT: { readonly [Name in WithoutTenant]: never } = {};

/** Returns the names in the first column of a table that match, from cells such as `a`, `b`. */
function namesIn({ text }: Page, name: RegExp): string[] {
  const cells = [...text.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = ""]) => cell);
  return cells
    .flatMap((cell) => cell.split(", ").map((each) => each.replaceAll("`", "")))
    .filter((each) => name.test(each));
}

function levelOf(event: ServiceEvent): string {
  const levels: string[] = [];
  const note = (level: string) => (): void => void levels.push(level);
  logEvents({ info: note("info"), warn: note("warn"), error: note("error") })(event);
  return levels.join();
}

describe("an event about an operation", () => {
  it("has the tenant", () => {
    const source = readFileSync(join(root, "src/ports/observer.ts"), "utf8");
    const members = [...source.matchAll(/(?:\w+Event\s*&\s*)*\{\s*readonly event: "([\w.-]+)"[^}]*/g)];
    const isComposed = (text: string): boolean => /^(Operation|Attempt)Event\s*& /.test(text);
    const about = members.filter(
      ([text, name = ""]) =>
        isComposed(text) || text.includes("readonly operationId") || name.startsWith("key."),
    );
    expect(source).toMatch(/interface OperationEvent \{[^}]*readonly tenant: string;/);
    expect(source).toContain("interface AttemptEvent extends OperationEvent {");
    expect(members.map(([, name]) => name).sort()).toEqual(Object.keys(EVENTS).sort());
    expect(about.length).toBeGreaterThan(10);
    expect(
      about
        .filter(([text]) => !isComposed(text) && !text.includes("readonly tenant: string"))
        .map(([, name]) => name),
    ).toEqual(Object.keys(WITHOUT_TENANT));
  });
});

describe("the pages", () => {
  const name = /^(operation|operator|attempt|progress|webhook|key|request|background|service|definition)\./;

  it("list exactly the events that exist", () => {
    expect(namesIn(page("docs/operating.md"), name).sort()).toEqual(Object.keys(EVENTS).sort());
  });

  it("state the log level of each event", () => {
    const rows = [...page("docs/operating.md").text.matchAll(/^\| `(\w+\.\w+)` \| (\w+)/gm)];
    expect(rows.length).toBeGreaterThan(0);
    for (const [, event = "", level] of rows) {
      expect({
        event,
        level: levelOf({ event, ...EVENTS[event as ServiceEvent["event"]] } as ServiceEvent),
      }).toEqual({ event, level });
    }
  });

  it("list every step of `background.failed`", () => {
    const [, table = ""] = page("docs/operating.md").text.split("The steps of `background.failed`:");
    const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
      .join("\n");
    const steps = sources.matchAll(
      /(?:step: |\bonError\(|reportError\([\w.#]+, |quietly\(\s*|attempted\(|untilAnswered\([\w.#]+, )"([a-z-]+)"/g,
    );
    const inSources = new Set([...steps].map(([, step = ""]) => step));
    expect(namesIn({ path: "", text: table }, /^[a-z-]+$/).sort()).toEqual([...inSources].sort());
  });
});
