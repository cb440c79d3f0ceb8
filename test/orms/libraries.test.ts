import { fileURLToPath } from "node:url";
import { describeKills } from "./kills.js";
import type { OrmLibrary } from "./library.js";
import { describeLibrary } from "./suite.js";

/** Modules of the folder `libraries`. */
const NAMES = [
  ...["drizzle", "drizzle-postgres-js", "knex", "knex-provider", "kysely", "kysely-controlled"],
  ...["mikro-orm", "prisma", "typeorm"],
];

for (const name of NAMES) {
  const url = new URL(`libraries/${name}.mjs`, import.meta.url);
  const { library } = (await import(url.href)) as { readonly library: OrmLibrary };
  await describeLibrary(library);
  await describeKills(library, fileURLToPath(url));
}
