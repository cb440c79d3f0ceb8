import type { OperationSummary } from "../../operator/summary.js";
import type { Sent } from "../wire.js";
import { readPayload } from "./api.js";
import { copyButton } from "./copy.js";
import { curlOf } from "./curl.js";
import { button, element, showProblem } from "./dom.js";
import { jsonTree } from "./json-tree.js";
import type { Page } from "./view.js";

/** The payload that was shown last. It stays open when the page loads the operation again. */
let last: { readonly operationId: string; readonly place: HTMLElement } | undefined;

/** Returns the place of the payload of an operation. */
export function payloadPlace(operationId: string): HTMLElement {
  if (last?.operationId !== operationId) last = { operationId, place: element("div", { id: "payload" }) };
  return last.place;
}

/** Creates the button that shows and hides the payloads of an operation. */
export function payloadButton(
  page: Page,
  operation: Sent<OperationSummary>,
  place: HTMLElement,
): HTMLButtonElement {
  const isShown = (): boolean => place.childElementCount > 0;
  const toggle = button(
    "",
    async () => {
      try {
        place.replaceChildren(...(isShown() ? [] : await payloadOf(page, operation)));
        label();
      } catch (error) {
        showProblem(error);
      }
    },
    { "aria-controls": "payload" },
  );
  const label = (): void => {
    toggle.textContent = isShown() ? "Hide the payload" : "Show the payload";
    toggle.setAttribute("aria-expanded", String(isShown()));
  };
  label();
  return toggle;
}

async function payloadOf(page: Page, operation: Sent<OperationSummary>): Promise<readonly Node[]> {
  const payload = await readPayload(operation.operationId);
  const members = Object.entries(payload).filter(([, value]) => value !== undefined);
  const path = page.overview.settings[operation.definition]?.path;
  const raw = JSON.stringify({ ...operation, ...payload }, null, 2);
  return [
    ...members.map(([name, value]) =>
      element("section", { class: "payload", "aria-label": name }, element("h3", {}, name), jsonTree(value)),
    ),
    element(
      "details",
      {},
      element("summary", {}, "Raw JSON"),
      // A focusable region, so that wide texts can be scrolled by keyboard.
      element("pre", { tabindex: "0", role: "region", "aria-label": "Raw JSON" }, raw),
    ),
    element(
      "div",
      { class: "actions" },
      copyButton("Copy JSON", () => raw),
      path === undefined
        ? undefined
        : copyButton("Copy as curl", () => curlOf(operation, path, payload.input)),
    ),
  ];
}
