#!/usr/bin/env node
import { printSql } from "./print-sql.js";
import { run } from "./run.js";

/** The earlier name of `async-request-reply sql`, for one release. */
await run(printSql, process.argv.slice(2));
