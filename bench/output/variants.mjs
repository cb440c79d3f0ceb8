export const onPostgres = { name: "Postgres", module: "product" };
export const byHand = { name: "Postgres by hand", module: "by-hand" };
export const onSqlite = { name: "SQLite", module: "product", options: { sqlite: true } };
const resumableStream = { name: "resumable-stream", module: "resumable-stream", needsRedis: true };

/** The variants to compare: `module` is a file in `variants`. */
export const variants = [onPostgres, byHand, onSqlite, resumableStream];
