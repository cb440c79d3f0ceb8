import type { Overview } from "../wire.js";
import { byId, element } from "./dom.js";
import { AGE_OPTIONS, STATES, type View } from "./view.js";

/** Members of a view that the form sets. */
type Filters = Pick<View, "state" | "definition" | "tenant" | "age" | "errorType" | "internal">;

const form = (): HTMLFormElement => byId<HTMLFormElement>("filters");

/** Fills in the choices. */
export function fillFilters({ definitions, errorTypes }: Overview): void {
  fill("state", STATES);
  fill("definition", [["", "All"], ...definitions.map((name) => [name, name] as const)]);
  fill("age", AGE_OPTIONS);
  fill("errorType", [["", "Any"], ...errorTypes.map((name) => [name, name] as const)]);
  field<HTMLSelectElement>("state").addEventListener("change", hideErrorTypes);
}

/** Shows the filters of a view. */
export function showFilters(view: View): void {
  for (const name of ["state", "definition", "tenant", "age", "errorType"] as const)
    field(name).value = view[name];
  field<HTMLInputElement>("internal").checked = view.internal === "true";
  hideErrorTypes();
}

/** Returns the filters that were chosen. */
export function readFilters(): Filters {
  const data = new FormData(form());
  const text = (name: string): string => String(data.get(name) ?? "").trim();
  const state = text("state");
  return {
    state,
    definition: text("definition"),
    tenant: text("tenant"),
    age: text("age"),
    errorType: state === "failed" ? text("errorType") : "",
    internal: text("internal"),
  };
}

function hideErrorTypes(): void {
  byId("error-type").hidden = field("state").value !== "failed";
}

function field<Kind extends HTMLInputElement | HTMLSelectElement = HTMLInputElement>(name: string): Kind {
  return form().elements.namedItem(name) as Kind;
}

function fill(name: string, options: readonly (readonly [value: string, label: string])[]): void {
  const choices = options.map(([value, label]) => element("option", { value }, label));
  field<HTMLSelectElement>(name).replaceChildren(...choices);
}
