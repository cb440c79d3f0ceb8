import { afterEach, describe, it } from "vitest";
import { libraryMutants, plantInLibrary, restoreLibrary } from "./library-mutants.js";
import { expectAtPin } from "./pinned-seeds.js";

describe("the simulator on a library with a fault", () => {
  afterEach(restoreLibrary);

  it.each(Object.entries(libraryMutants))("detects that %s", async (name, mutant) => {
    await expectAtPin("library", name, mutant, await plantInLibrary(mutant));
  });
});
