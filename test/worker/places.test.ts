import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import { declarePlaces } from "./places.js";

describe("work that waits for a place, in memory", () => {
  declarePlaces((clock) => createMemoryBackend(clock && { clock }), { anyClock: true });
});
