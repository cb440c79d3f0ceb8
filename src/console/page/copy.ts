import { announce, button } from "./dom.js";

/** Creates a button that copies a text. Browsers allow it over HTTPS and on localhost only. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  return button(
    label,
    async () => {
      try {
        await navigator.clipboard.writeText(text());
        announce("Copied.");
      } catch {
        announce("The browser does not allow copying here. Select the text and copy it.");
      }
    },
    { class: "quiet" },
  );
}
