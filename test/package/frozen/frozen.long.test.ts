import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../support/built.js";
import { portTypes } from "./port-types.js";
import { wire } from "./wire.js";

const folder = import.meta.dirname;

/**
 * Processes, back ends and clients of other versions rely on these. Each file begins with the changeset of its last change, or with
 * the release if nothing has changed since. To write the files, name the changeset: `FREEZE=name npx vitest run …`.
 */
const FILES = [
  ["ports.txt", portTypes],
  ["wire.txt", wire],
] as const;

describe("what others rely on", () => {
  it.each(FILES)("changes only together with a changeset: %s", (name, read) => {
    const path = join(folder, name);
    const now = read();
    const { FREEZE } = process.env;
    const before = existsSync(path) ? readFileSync(path, "utf8") : "";
    const [head = "", ...lines] = before.split("\n");
    if (FREEZE !== undefined && lines.join("\n") !== now)
      writeFileSync(path, `Last change: ${FREEZE}\n${now}`);
    const [heading, ...rest] = readFileSync(path, "utf8").split("\n");
    const advice =
      "It has changed. A process, a back end or a client of the release before must keep working with it. If it does, describe the " +
      "change in a changeset, and write this file with the name of the changeset in FREEZE.";
    expect(rest.join("\n"), advice).toBe(now);
    const change = (heading ?? head).replace("Last change: ", "");
    const isReleased = readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## ${change}\n`);
    const isPending = existsSync(join(root, ".changeset", `${change}.md`));
    expect(isReleased || isPending, `${change} is neither a release nor a changeset`).toBe(true);
  });
});
