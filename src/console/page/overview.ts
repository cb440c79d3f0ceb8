import { actedOf } from "./acted.js";
import { readActions } from "./api.js";
import { chartsOf } from "./charts.js";
import { definitionTable } from "./definitions.js";
import { byId, type Child, element } from "./dom.js";
import { failureTable } from "./failures.js";
import { type Health, healthOf, type Known, STATE_NAMES, STATES, worstOf } from "./health.js";
import { rangeName, rangesOf } from "./ranges.js";
import { knownFailures, readRecentFailures } from "./recent-failures.js";
import { listOf, overviewOf, type Page, viewLink } from "./view.js";

/** Number of reasons that fit on the first screens. */
const REASONS = 10;
/** Number of definitions whose state is said in words. */
const SENTENCES = 3;

/** Returns everything that is known of each definition. */
export function knownOf({ overview }: Pick<Page, "overview">): readonly Known[] {
  const { definitions, stats, lastHour, recent } = overview;
  return definitions.map((definition) => ({
    definition,
    stats: stats.find((each) => each.definition === definition),
    lastHour: lastHour?.find((each) => each.definition === definition),
    recent: recent?.work.find((each) => each.definition === definition),
    groups: knownFailures().filter((group) => group.definition === definition && group.open > 0),
  }));
}

/** Shows how all definitions are, or one of them, and what failed most recently. */
export async function showOverview(page: Page): Promise<void> {
  const { definition } = page.view;
  const isOne = definition !== "";
  const [{ groups }, charts, acted] = await Promise.all([
    readRecentFailures(page),
    isOne ? chartsOf(page) : [],
    isOne ? readActions(definition) : undefined,
  ]);
  if (!page.isCurrent()) return;
  const known = knownOf(page).filter((each) => !isOne || each.definition === definition);
  const failures = groups.filter((group) => !isOne || group.definition === definition);
  const title = isOne ? definition : "Overview";
  document.title = title;
  byId("overview-title").textContent = title;
  byId("overview-content").replaceChildren(
    healthLine(page, known.map(healthOf)),
    ...charts,
    element("div", { id: "definitions" }, ...rangeLine(page), definitionTable(page, known)),
    element("div", { id: "reasons" }, ...reasonsOf(page, failures)),
    ...actedOf(page, acted?.actions ?? []),
  );
}

/** Says in one line how everything is, and why. */
function healthLine(page: Page, health: readonly Health[]): HTMLElement {
  const state = worstOf(health);
  const worst = health.filter((each) => each.state === state);
  const needy = STATES.slice(0, 3).flatMap((each) => health.filter((one) => one.state === each));
  const said = needy.length === 0 ? worst : needy;
  const sentences = said.slice(0, SENTENCES).map((each, index) => sentenceOf(page, each, index));
  const rest = said.length > SENTENCES ? [`; and ${said.length - SENTENCES} more`] : [];
  return element(
    "p",
    { id: "health", class: state },
    element("span", { class: `dot ${state}` }),
    element("b", {}, STATE_NAMES[state]),
    " ",
    element("span", {}, ...sentences, ...rest, "."),
  );
}

function sentenceOf({ go, view }: Page, { definition, reason }: Health, index: number): HTMLElement {
  const name: readonly Child[] =
    view.definition === "" ? [viewLink(go, overviewOf(definition), definition), " "] : [];
  return element("span", {}, index === 0 ? "" : "; ", ...name, ...reason);
}

/** Says where the numbers of the range come from. The page of a definition has its switch at the charts. */
function rangeLine(page: Page): readonly HTMLElement[] {
  if (page.overview.recent === undefined) return [];
  const said = `Completed and times: last ${rangeName(page.view)}, all processes. They write their counts every 10 s.`;
  const note = element("p", { class: "note" }, said);
  const ranges = page.view.definition === "" ? rangesOf(page) : undefined;
  return [element("div", { class: "title" }, note, ranges)];
}

function reasonsOf(page: Page, groups: Parameters<typeof failureTable>[1]): readonly Node[] {
  const { definition } = page.view;
  const title = element("h3", {}, "Open failures");
  const all = listOf({ show: "failures", definition });
  if (groups.length === 0)
    return [
      title,
      element(
        "p",
        { class: "empty" },
        "Nothing has failed, or all of it was run again. Reasons of failures appear here. ",
        viewLink(page.go, listOf({ definition, status: "all" }), "List all operations"),
      ),
    ];
  return [
    title,
    failureTable(page, groups.slice(0, REASONS)),
    element("p", {}, viewLink(page.go, all, "All failures by reason")),
  ];
}
