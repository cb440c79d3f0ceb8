import type { Overview, Sent } from "../wire.js";
import { byId, element } from "./dom.js";
import { isOfFailures, type View } from "./view.js";

/** Members of a view that the form sets. */
type Filters = Omit<View, "show" | "status" | "words" | "cursor" | "range" | "operationId">;

const TEXTS = ["definition", "tenant", "principal", "errorType", "message"] as const;
const TIMES = ["createdFrom", "createdBefore"] as const;
const FLAGS = ["open", "internal"] as const;

const form = (): HTMLFormElement => byId<HTMLFormElement>("filters");

/** Fills in the choices. */
export function fillFilters({ definitions, errorTypes }: Sent<Overview>): void {
  fill("definition", [["", "All"], ...definitions.map((name) => [name, name] as const)]);
  fill("errorType", [["", "Any"], ...errorTypes.map((name) => [name, name] as const)]);
}

/** Shows the filters of a view. */
export function showFilters(view: View): void {
  for (const name of TEXTS) field(name).value = view[name];
  for (const name of TIMES) field(name).value = toLocal(view[name]);
  for (const name of FLAGS) field(name).checked = view[name] === "true";
  for (const label of form().querySelectorAll<HTMLElement>(".of-failures"))
    label.hidden = !isOfFailures(view);
}

/** Closes the form and returns the filters that were chosen. Those that only failures have are hidden, and empty, elsewhere. */
export function readFilters(): Filters {
  byId<HTMLDetailsElement>("filter-panel").open = false;
  const data = new FormData(form());
  const text = (name: string): string => String(data.get(name) ?? "").trim();
  const time = (name: string): string => (text(name) === "" ? "" : new Date(text(name)).toISOString());
  return {
    definition: text("definition"),
    tenant: text("tenant"),
    principal: text("principal"),
    createdFrom: time("createdFrom"),
    createdBefore: time("createdBefore"),
    errorType: text("errorType"),
    message: text("message"),
    open: text("open"),
    internal: text("internal"),
  };
}

/** Returns a time in the time zone of the browser as a field takes it. A URL can hold anything. */
function toLocal(time: string): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function field<Kind extends HTMLInputElement | HTMLSelectElement = HTMLInputElement>(name: string): Kind {
  return form().elements.namedItem(name) as Kind;
}

function fill(name: string, options: readonly (readonly [value: string, label: string])[]): void {
  const choices = options.map(([value, label]) => element("option", { value }, label));
  field<HTMLSelectElement>(name).replaceChildren(...choices);
}
