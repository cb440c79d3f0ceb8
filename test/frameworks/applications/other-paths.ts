import { expect } from "vitest";
import type { Behavior } from "./application.js";

/** The text that the applications serve at `/`. */
export const HOME = "This is the application.";

export const leavesOtherPaths: Behavior = {
  name: "leaves other paths to the application",
  run: async (server) => {
    const home = await server.fetch("/");
    expect([home.status, await home.text()]).toEqual([200, expect.stringContaining(HOME)]);
  },
};
