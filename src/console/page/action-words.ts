const WORDS: Readonly<Record<string, string>> = {
  cancel: "Cancelled",
  redrive: "Run again",
  "redrive-many": "Many run again",
  pause: "Paused",
  resume: "Resumed",
};

/** Says what kind of action it was. A later release can record more of them. */
export function wordsFor(action: string): string {
  return WORDS[action] ?? action;
}
