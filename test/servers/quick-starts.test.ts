import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSkipped, programOf } from "../runtimes/matrix.js";
import { beginnings, nodesWithStores } from "../runtimes/quick-starts/beginnings.js";
import { follow } from "../runtimes/quick-starts/follow.js";
import { onStore, readStoreOption } from "../runtimes/quick-starts/on-store.js";
import { readQuickStart } from "../runtimes/quick-starts/quick-start.js";
import { openRegistry, type Registry } from "../runtimes/quick-starts/registry.js";
import { openTerminal } from "../runtimes/quick-starts/terminal.js";
import { page } from "../support/pages.js";
import {
  describeWithPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../support/postgres/private-postgres.js";

const store = readStoreOption(page("README.md"));

function declareQuickStarts(installation: PostgresInstallation): void {
  let postgres: PrivatePostgres;
  let registry: Registry;
  beforeAll(async () => {
    [postgres, registry] = await Promise.all([startPrivatePostgres({ installation }), openRegistry()]);
  });
  afterAll(async () => {
    registry?.close();
    await postgres?.remove();
  });

  describe.each(nodesWithStores)("on $name", (node) => {
    it.skipIf(isSkipped(node)).each(beginnings)("produces the output that it shows: $path", async (page) => {
      const variables = { DATABASE_URL: postgres.url() };
      const terminal = openTerminal(registry.url, { node: programOf(node), variables });
      try {
        await follow(readQuickStart(onStore(page, store)), terminal);
        expect(await terminal.stop()).toEqual([0]);
        const states = await postgres.query("select distinct state from async_request_reply.operations");
        expect(states).toEqual([{ state: "completed" }]);
      } finally {
        await terminal.close();
        await postgres.query("drop schema if exists async_request_reply cascade");
      }
    });
  });
}

describeWithPostgres(
  "a quick start on Postgres, followed in a new folder with the packed package",
  declareQuickStarts,
);
