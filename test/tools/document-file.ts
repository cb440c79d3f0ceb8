import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder with a document in it. */
export interface DocumentFile {
  readonly folder: string;
  /** Its name in the folder. */
  readonly name: string;
  remove(): void;
}

/** Writes a document into a file for tools to read. */
export function writeDocument(document: unknown): DocumentFile {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  const name = "openapi.json";
  writeFileSync(join(folder, name), JSON.stringify(document));
  return { folder, name, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
