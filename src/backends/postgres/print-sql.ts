#!/usr/bin/env node
import { postgresMigrations } from "./schema/migrations.js";

/** Prints the SQL that brings a schema up to this release: `async-request-reply-postgres-sql [schema]`. */
try {
  process.stdout.write(postgresMigrations(process.argv[2]).join("\n"));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
