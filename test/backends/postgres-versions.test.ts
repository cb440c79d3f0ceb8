import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { postgresMigrations } from "async-request-reply/postgres";
import { expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "../../src/backends/postgres/schema");
const folders = readdirSync(FOLDER).filter((name) => name.startsWith("version-"));

/** SHA-256 of the SQL of each version. Each new version adds an entry. An entry never changes after a release. */
const HASHES: readonly string[] = [
  "7bc049836b8ace01442f0e4a78718f3221493c4cf8da27b76e90bd31ba1c7c63",
  "6a09b1843a3a0f577b0f6f395ae87852d7dc197412fb6dda31a46957c609979e",
  "f45cb3ba544b476e212f520544117d400155a3027fa8c3b5c5c157c3c8d728c8",
];

/** Returns what a statement adds to a schema. The rest of it may change, because it leaves nothing behind. */
function additionOf(statement = ""): string {
  return statement.split("$addition$")[1] ?? "";
}

it("has a folder and a pinned hash for each version", () => {
  expect(folders).toEqual(HASHES.map((_, index) => `version-${index + 1}`));
  expect(postgresMigrations()).toHaveLength(folders.length);
});

it.each(folders)("never changes %s", (name) => {
  const index = folders.indexOf(name);
  const hash = createHash("sha256").update(additionOf(postgresMigrations()[index])).digest("hex");
  const message = `${name} has changed, but databases that have this version never run it again. Restore it, and add the change as the next version.`;
  expect(hash, message).toBe(HASHES[index]);
});

it.each(folders)("replaces every placeholder of %s", (name) => {
  const text = postgresMigrations("some_schema")[folders.indexOf(name)];
  expect(text).toContain('"some_schema".');
  expect(text).not.toMatch(/\{\{|\}\}/);
});
