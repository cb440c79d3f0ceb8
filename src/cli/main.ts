#!/usr/bin/env node
import { misuse, shown, suggestName } from "../contract/options.js";
import { serveConsole } from "./console/serve-console.js";
import { printSql } from "./print-sql.js";
import { type Command, run } from "./run.js";

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["console", serveConsole],
  ["sql", printSql],
]);
const HELP = `Usage: async-request-reply COMMAND [--help]

  console  Serves the console on this machine, for a database on Postgres or SQLite.
  sql      Prints the SQL that creates or upgrades the schema in Postgres.
`;

function dispatch([name, ...given]: readonly string[]): string | Promise<string> {
  if (name === undefined || ["help", "--help", "-h"].includes(name)) return HELP;
  const command = COMMANDS.get(name);
  if (command !== undefined) return command(given);
  throw misuse(`Unknown command ${shown(name)}. ${suggestName("commands", name, [...COMMANDS.keys()])}`);
}

await run(dispatch, process.argv.slice(2));
