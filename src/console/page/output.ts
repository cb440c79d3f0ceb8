import type { OperationOutput } from "../../operator/output.js";
import { readOutput } from "./api.js";
import { element, showProblem } from "./dom.js";

const READ_MS = 1_000;
/** Length of the texts that are shown. The server sends no more at once. */
const MAX_LENGTH = 65_536;

/** The output that was shown last. It stays open, and where it was scrolled to, when the page loads the operation again. */
let last: { readonly operationId: string; readonly section: HTMLElement } | undefined;

/** Returns the output of an operation: closed, and read while it is open. */
export function outputOf(operationId: string): HTMLElement {
  if (last?.operationId !== operationId) last = { operationId, section: createSection(operationId) };
  return last.section;
}

function createSection(operationId: string): HTMLElement {
  const note = element("p", { class: "note" });
  // A focusable region, so that long texts can be scrolled by keyboard.
  const text = element("pre", { tabindex: "0", role: "region", "aria-label": "Output" });
  const section = element("details", {}, element("summary", {}, "Output"), note, text);
  const shown = new Shown();
  let isReading = false;

  /** Reads until the output is closed, or someone closes the section or leaves the operation. */
  async function follow(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (section.open && last?.section === section && !shown.closed) {
      if (document.visibilityState === "visible" && section.checkVisibility()) await read();
      if (!shown.closed) await new Promise((resolve) => setTimeout(resolve, READ_MS));
    }
    isReading = false;
  }

  async function read(): Promise<void> {
    try {
      shown.add(await readOutput(operationId, shown.position));
    } catch (error) {
      showProblem(error);
      return;
    }
    const isAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 1;
    text.textContent = shown.text;
    note.textContent = shown.note;
    if (isAtEnd) text.scrollTop = text.scrollHeight;
  }

  section.addEventListener("toggle", () => void follow());
  return section;
}

/** The end of an output. */
class Shown {
  position: string | undefined;
  closed = false;
  /** Number of chunks before `#texts`. */
  #at = 0;
  #texts: string[] = [];

  get text(): string {
    return this.#texts.join("");
  }

  get note(): string {
    const end = this.#at === 0 ? "" : "Only the end of the output is shown. ";
    return end + (this.closed ? "Nothing is added any more." : "It is read every second.");
  }

  add({ at, chunks, position, closed }: OperationOutput): void {
    const end = this.#at + this.#texts.length;
    // The server leaves chunks out if many have been added.
    const standing = at > end ? [] : this.#texts.slice(0, Math.max(0, at - this.#at));
    this.#texts = fitting([...standing, ...chunks.map(toText)]);
    this.#at = at + chunks.length - this.#texts.length;
    this.position = position;
    this.closed = closed;
  }
}

/** Texts, such as tokens, follow each other as they are. Everything else has its own line. */
function toText(chunk: unknown): string {
  return typeof chunk === "string" ? chunk : `${JSON.stringify(chunk)}\n`;
}

/** Returns the last texts that are not too long together, and at least one. */
function fitting(texts: readonly string[]): string[] {
  let length = 0;
  const tooLong = texts.findLastIndex((text, index) => {
    length += text.length;
    return length > MAX_LENGTH && index < texts.length - 1;
  });
  return texts.slice(tooLong + 1);
}
