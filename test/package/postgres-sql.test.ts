import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { postgresMigrations } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { root } from "../support/built.js";

function print(...args: string[]): { readonly status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, "dist/cli.js"), "sql", ...args], { encoding: "utf8" });
}

it("prints the SQL of the default schema", () => {
  expect(print()).toMatchObject({ status: 0, stdout: postgresMigrations().join("\n"), stderr: "" });
});

it("prints it under the earlier name of the command too", () => {
  const { stdout } = spawnSync(process.execPath, [join(root, "dist/postgres-sql.js")], { encoding: "utf8" });
  expect(stdout).toBe(print().stdout);
});

it("prints the SQL of another schema", () => {
  expect(print("--schema", "jobs").stdout).toBe(postgresMigrations("jobs").join("\n"));
});

it("prints no placeholder of Flyway", () => {
  const { status, stdout } = print("--for", "flyway");
  expect(status).toBe(0);
  expect(stdout).not.toContain("${");
});

it.each(["--help", "-h"])("explains itself: %s", (option) => {
  const { status, stdout, stderr } = print(option);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Usage: async-request-reply sql [--for sql|");
  for (const name of ["--for", "--after", "--schema"])
    expect(stdout).toMatch(new RegExp(`^  ${name} .*\\.$`, "m"));
});

it("ends quietly if the reader closes the pipe", () => {
  const command = `"${process.execPath}" "${join(root, "dist/cli.js")}" sql | head -c 1`;
  expect(spawnSync("sh", ["-c", command], { encoding: "utf8" })).toMatchObject({ stdout: "d", stderr: "" });
});

it.each<[readonly string[], string]>([
  [["--fro", "knex"], "Unknown option '--fro'. Usage: async-request-reply sql [--for sql|"],
  [["--for"], "Option '--for <value>' argument missing. Usage: "],
  [["jobs"], "Unexpected argument 'jobs'. Usage: "],
  [["--for", "knexx"], 'Unknown tool "knexx". Did you mean `knex`?'],
  [["--for", "constructor"], 'Unknown tool "constructor". Known tools: sql, drizzle, flyway, knex, '],
  [
    ["--schema", "Jobs"],
    'Option `schema` must be a name of 1 to 48 characters from a-z, 0-9 and _ that does not begin with a digit, not "Jobs".',
  ],
  [["--after", "newest"], 'Option `after` must be the version of your schema, such as 1, not "newest".'],
  [["--after", "99"], "Option `after` must be a version from 0 to 3, the newest of this release, not 99."],
  [["--after", "3"], "Version 3 is the newest of this release. There is nothing to migrate."],
])("refuses %j with a sentence, and prints nothing", (args, sentence) => {
  const { status, stdout, stderr } = print(...args);
  expect(stderr).toContain(`INVALID_OPTION: ${sentence}`);
  expect([status, stdout]).toEqual([1, ""]);
});
