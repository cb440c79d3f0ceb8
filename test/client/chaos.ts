import { createRandom } from "../support/random.js";

export type Fault = "none" | "lost" | "reply lost" | "unavailable" | "cut";

/** Chooses the faults of requests: 30 % lose their connection, and 5 % get a 503. A tenth of all waits is cut. */
export function chooseFaults(seed: number): (request: { readonly waits: boolean }) => Fault {
  const random = createRandom(seed);
  return ({ waits }) => {
    const percent = random.below(100);
    if (percent < 15) return "lost";
    if (percent < 30) return "reply lost";
    if (percent < 35) return "unavailable";
    return waits && percent < 45 ? "cut" : "none";
  };
}
