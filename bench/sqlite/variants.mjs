import { product } from "../postgres/variants.mjs";

/** The variants to compare: `module` is the URL of a file in `variants`, without `.mjs`, and is opened with `options`. */
export const onSqlite = variant("SQLite", "product");
export const onePerTenant = variant("SQLite, one per tenant", "product", { limits: { runningPerTenant: 1 } });
export const inMemory = variant("memory", "memory");
export const countedOnSqlite = variant(onSqlite.name, "counted");
export const countedInMemory = variant(inMemory.name, "counted", { memory: true });
export const onPostgres = { ...product, name: "Postgres" };
export const rawInsert = variant("raw INSERT", "raw-insert");
export const sameRow = variant("raw INSERT, same row and indexes", "raw-insert", { sameRow: true });
export const plainjob = variant("plainjob, job only", "plainjob");
export const liteque = variant("liteque, key and job", "liteque");

export const overHttp = variant("SQLite, over HTTP", "product", { sockets: true });
export const slowOverHttp = variant("2 ms commits", "product", { sockets: true, commitMs: 2 });
export const slowOneByOne = variant("2 ms commits, one per request", "product", {
  sockets: true,
  commitMs: 2,
  maxBatch: 1,
});

export const empty = variant("empty file", "product");
export const large = variant("500,000 finished", "product", { rows: 500_000 });

function variant(name, file, options = {}) {
  return { name, module: new URL(`variants/${file}`, import.meta.url).href, options };
}
