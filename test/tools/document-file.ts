import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder that contains a document. */
export interface DocumentFile {
  readonly folder: string;
  /** File name of the document. */
  readonly name: string;
  remove(): void;
}

/** Writes a document to a file for a tool. */
export function writeDocument(document: unknown): DocumentFile {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  const name = "openapi.json";
  writeFileSync(join(folder, name), JSON.stringify(document));
  return { folder, name, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
