#!/usr/bin/env node
import { postgresMigrations } from "./schema/migrations.js";

/** Prints the SQL that creates or upgrades a schema: `async-request-reply-postgres-sql [schema]`. */
try {
  process.stdout.write(postgresMigrations(process.argv[2]).join("\n"));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
