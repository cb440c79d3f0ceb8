import { createMemoryBackend } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe } from "vitest";
import { declareDeadlines } from "./deadlines.js";

describe("work with a deadline, in memory", () => {
  declareDeadlines(() => {
    const clock = createManualClock();
    return { backend: createMemoryBackend({ clock }), pass: (ms) => clock.advance(ms) };
  });
});
