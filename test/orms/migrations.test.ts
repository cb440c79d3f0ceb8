import { join } from "node:path";
import { allowAnonymous, createOrderService } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { describe, expect, it } from "vitest";
import { MIGRATION_FORMS } from "../../src/backends/postgres/schema/forms.js";
import { root } from "../support/built.js";
import { describePostgres } from "../support/postgres/server.js";
import { useProject } from "./migrations/project.js";
import { MIGRATION_TOOLS } from "./migrations/tools.js";

/** Stands for a next version: two statements with the characters that have a meaning in a tool. */
const NEXT_VERSION = [
  `do $$ begin create table async_request_reply.planted (note text); end $$; -- \`?\` \${x} {x} :x \\d ??\n`,
  `do $$ begin insert into async_request_reply.planted values ('\`?\` $' || '{x} {x} :x \\d ??'); end $$;\n`,
];

await describePostgres("printed migrations", (server) => {
  describe.each(MIGRATION_TOOLS.map((tool) => [tool.name, tool] as const))("for %s", (name, tool) => {
    const project = useProject(server, async (created) => {
      tool.setUp(created);
      const print = join(root, "dist/postgres-sql.js");
      await tool.add(created, 1, await created.run(process.execPath, print, "--for", name));
    });

    it("create a schema that a service can use, and can be applied again", async () => {
      await tool.apply(project());
      await tool.apply(project());
      const backend = createPostgresBackend({ pool: project().pool, migrate: "manual" });
      try {
        await backend.check();
        const service = createOrderService({ backend, authorize: allowAnonymous() });
        const order = { itemId: "book", quantity: 1 };
        const submitted = await service.submit(service.definitions[0], order, { tenant: "anonymous" });
        expect(await backend.operations.get(submitted.operationId, "anonymous")).toMatchObject({
          state: "pending",
        });
      } finally {
        await backend.close();
      }
    });

    it("upgrade a schema by what is newer", async () => {
      await tool.add(project(), 2, MIGRATION_FORMS[name]?.(NEXT_VERSION) ?? "");
      await tool.apply(project());
      const { rows } = await project().pool.query("select note from async_request_reply.planted");
      expect(rows).toEqual([{ note: `\`?\` \${x} {x} :x \\d ??` }]);
    });
  });
});
