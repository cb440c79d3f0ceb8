import { createPostgresBackend, postgresMigrations } from "async-request-reply/postgres";
import { expect, it, onTestFinished } from "vitest";
import { describePostgres, openPoolAt, portOfServer } from "../../support/postgres/server.js";
import { expectMisconfigured, refusedCheck } from "./refused-check.js";

await describePostgres("check() looks at the schema and", (server) => {
  const howTo = (schema: string) =>
    `Call \`backend.migrate()\` or apply the SQL printed by \`npx async-request-reply sql --schema ${schema}\`.`;

  /** A schema that an administrator keeps, as the statements leave it. */
  async function manual(...statements: readonly ((schema: string) => string)[]) {
    const backend = server.openOwn({ migrate: "manual" });
    for (const statement of statements) await server.pool.query(statement(backend.schema));
    return backend;
  }
  const migrated = (schema: string) => postgresMigrations(schema).join("\n");

  it("rejects when it is missing, and resolves once it was migrated", async () => {
    const backend = await manual();
    const { rows } = await server.pool.query("select current_database() as name");
    await expectMisconfigured(
      backend,
      `Schema ${backend.schema} does not exist in database "${rows[0]?.name}". ${howTo(backend.schema)}`,
    );
    await backend.migrate();
    await expect(backend.check()).resolves.toBeUndefined();
  });

  it("rejects when its version is older than this release needs", async () => {
    const backend = await manual(
      (schema) =>
        `create schema ${schema};
         create table ${schema}.migrations (version integer primary key, applied_at timestamptz not null default now())`,
    );
    await expectMisconfigured(
      backend,
      `Schema ${backend.schema} has version 0, but this release needs version 3. ${howTo(backend.schema)}`,
    );
    await backend.migrate();
    await expect(backend.check()).resolves.toBeUndefined();
  });

  const newer = (schema: string) => `insert into ${schema}.migrations (version) values (4)`;
  const incomplete = (schema: string) => `drop function ${schema}.get_v1`;

  it("resolves when its version is newer and still has all that this release uses", async () => {
    const backend = await manual(migrated, newer);
    await expect(backend.check()).resolves.toBeUndefined();
  });

  it.each([
    [
      "its tables are missing",
      [(schema: string) => `create schema ${schema}`],
      (schema: string) => `Table ${schema}.operations does not exist. ${howTo(schema)}`,
    ],
    [
      "its version is newer and lacks what this release uses",
      [migrated, newer, incomplete],
      (schema: string) =>
        `Schema ${schema} has version 4, which is newer than version 3 of this release and no longer has the function ` +
        "get_v1. Upgrade `async-request-reply` in this process.",
    ],
    [
      "it was taken apart",
      [migrated, incomplete],
      (schema: string) =>
        `Schema ${schema} has version 3 of this release, but its function get_v1 is missing. Restore it from a backup, or from a ` +
        "new schema that `backend.migrate()` makes.",
    ],
  ])("rejects when %s", async (_, statements, detailOf) => {
    const backend = await manual(...statements);
    await expectMisconfigured(backend, detailOf(backend.schema));
  });

  type Grants = (schema: string, role: string) => string;

  /** Opens a back end of a new role with these grants. */
  async function openAs(schema: string, grants: Grants) {
    const role = server.newSchema();
    await server.pool.query(`create role ${role} login; ${grants(schema, role)}`);
    const pool = openPoolAt(portOfServer(), { user: role });
    onTestFinished(async () => {
      await pool.end();
      await server.pool.query(
        `reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`,
      );
    });
    return { role, own: createPostgresBackend({ pool, schema, migrate: "manual" }) };
  }

  /** Returns the error for a role that has only these grants. */
  async function refusedWith(grants: Grants) {
    const { schema } = await manual(
      migrated,
      (name) => `revoke execute on all functions in schema ${name} from public`,
    );
    const { role, own } = await openAs(schema, grants);
    const { code, detail } = await refusedCheck(own);
    // The statements in the message must add exactly the missing grants.
    for (const [, statement] of detail.matchAll(/`(grant [^`]+)`/g)) await server.pool.query(statement ?? "");
    const after = await own.check().then(
      () => "can be used",
      () => "lacks more",
    );
    return { code, detail: detail.replaceAll(schema, "s").replaceAll(role, "app"), after };
  }
  const USAGE = (schema: string, role: string) => `grant usage on schema ${schema} to ${role};`;
  const TABLES = (schema: string, role: string) =>
    `grant select, insert, update, delete on ${schema}.operations to ${role}; ` +
    `grant select, insert, delete on ${schema}.paused to ${role}; ` +
    `grant select, insert, update on ${schema}.shortest_leases to ${role}; ` +
    `grant select, insert, update, delete on ${schema}.minutes, ${schema}.actions to ${role}; ` +
    `grant select on ${schema}.migrations to ${role};`;
  const FUNCTIONS = (schema: string, role: string) =>
    `grant execute on all functions in schema ${schema} to ${role};`;

  it.each([
    [
      "has no permission to use it",
      (...to: [string, string]) => TABLES(...to) + FUNCTIONS(...to),
      'Role "app" has no permission to use schema s. Run `grant usage on schema s to app` as the owner of the schema.',
    ],
    [
      "lacks a grant on a table",
      (schema: string, role: string) =>
        `${USAGE(schema, role)} grant select on ${schema}.operations, ${schema}.paused, ${schema}.migrations to ${role};` +
        `grant select, insert, update on ${schema}.shortest_leases to ${role};` +
        `grant select, insert, update, delete on ${schema}.minutes, ${schema}.actions to ${role};` +
        FUNCTIONS(schema, role),
      'Role "app" lacks insert, update, delete on s.operations, and insert, delete on s.paused. Run `grant insert, update, delete on s.operations to app` ' +
        "and `grant insert, delete on s.paused to app` as the owner of the schema.",
    ],
    [
      "lacks the grant on a function",
      (schema: string, role: string) =>
        `${USAGE(schema, role)}${TABLES(schema, role)}${FUNCTIONS(schema, role)}
         revoke execute on function ${schema}.get_v1 from ${role}`,
      'Role "app" lacks execute on function s.get_v1. Run `grant execute on all functions in schema s to app` as the owner of ' +
        "the schema.",
    ],
  ])("rejects when the role %s", async (_, grants, detail) => {
    expect(await refusedWith(grants)).toEqual({ code: "INVALID_OPTION", detail, after: "can be used" });
  });

  it.each(["enable", "force"])("rejects when %s row level security hides rows from the role", async (how) => {
    const { schema } = await manual(migrated);
    const { role, own } = await openAs(
      schema,
      (...to) =>
        `${USAGE(...to)}${TABLES(...to)}${FUNCTIONS(...to)}
         alter table ${schema}.operations enable row level security`,
    );
    if (how === "force")
      await server.pool.query(
        `alter table ${schema}.operations force row level security, owner to ${role};
         grant usage on schema ${schema} to ${role}`,
      );
    await expectMisconfigured(
      own,
      `Row-level security of table ${schema}.operations applies to role "${role}", so it can hide rows: work would not run. Run ` +
        `\`alter table ${schema}.operations disable row level security\`, or let the role bypass it with ` +
        `\`alter role ${role} bypassrls\`.`,
    );
    await server.pool.query(`alter role ${role} bypassrls`);
    await expect(own.check()).resolves.toBeUndefined();
  });

  it("names the statements for all grants at once", async () => {
    const { detail, after } = await refusedWith(USAGE);
    expect(detail).toMatch(
      /^Role "app" lacks .* on s\.operations, and select, insert, delete on s\.paused, and select, insert, update on s\.shortest_leases, and select, insert, update, delete on s\.minutes, and select, insert, update, delete on s\.actions, and select on s\.migrations, and execute on function s\.\w+ and \d+ more\. Run /,
    );
    expect(after).toBe("can be used");
  });
});
