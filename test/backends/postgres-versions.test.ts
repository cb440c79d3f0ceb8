import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { postgresMigrations } from "async-request-reply/postgres";
import { expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "../../src/backends/postgres/schema");
const folders = readdirSync(FOLDER).filter((name) => name.startsWith("version-"));

/** SHA-256 of the SQL of each version. Each new version adds an entry. An entry never changes after a release. */
const HASHES: readonly string[] = [
  "af9afb3ca70cde722cc352e0e4ad4bb0543f8aea4a549ae17193af85a3829bd7",
  "701dbab79ed2b0d6f500a0d48eea67b5f03cabd0cff6b482bbb2e7c196e77892",
];

it("has a folder and a pinned hash for each version", () => {
  expect(folders).toEqual(HASHES.map((_, index) => `version-${index + 1}`));
  expect(postgresMigrations()).toHaveLength(folders.length);
});

it.each(folders)("never changes %s", (name) => {
  const index = folders.indexOf(name);
  const hash = createHash("sha256").update(`${postgresMigrations()[index]}`).digest("hex");
  const message = `${name} has changed, but databases that have this version never run it again. Restore it, and add the change as the next version.`;
  expect(hash, message).toBe(HASHES[index]);
});

it.each(folders)("replaces every placeholder of %s", (name) => {
  const text = postgresMigrations("some_schema")[folders.indexOf(name)];
  expect(text).toContain('"some_schema".');
  expect(text).not.toMatch(/\{\{|\}\}/);
});
