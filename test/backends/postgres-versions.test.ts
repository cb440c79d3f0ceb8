import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { postgresMigrations } from "async-request-reply/postgres";
import { expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "../../src/backends/postgres/schema");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));

/** SHA-256 of the file of each version. Each new version adds an entry. An entry never changes after a release. */
const HASHES: Readonly<Record<string, string>> = {
  "1.sql": "488f6e99cc10b15fa5049f23f9bdc22f11b6a529805bf105a996b37382787f72",
};

it("has a file and a pinned hash for each version", () => {
  expect(files.sort()).toEqual(Object.keys(HASHES).sort());
  expect(postgresMigrations()).toHaveLength(files.length);
});

it.each(files)("never changes %s", (name) => {
  const hash = createHash("sha256")
    .update(readFileSync(join(FOLDER, name)))
    .digest("hex");
  const message = `${name} has changed, but databases that have this version never run it again. Restore it, and add the change as the next version.`;
  expect(hash, message).toBe(HASHES[name]);
});

it.each(files)("replaces every placeholder of %s", (name) => {
  const text = postgresMigrations("some_schema")[files.indexOf(name)];
  expect(text).toContain('"some_schema".');
  expect(text).not.toMatch(/\{\{|\}\}/);
});
