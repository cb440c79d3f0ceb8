import { byId } from "./dom.js";

/** Shows an error until the next load, or hides it. Screen readers announce it. */
export function showProblem(error: unknown): void {
  const problem = byId("problem");
  problem.hidden = error === undefined;
  problem.textContent = error instanceof Error ? error.message : "";
}

/** Announces what was done. */
export function announce(sentence: string): void {
  byId("status").textContent = sentence;
}
