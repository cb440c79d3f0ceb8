/** The database, which the API and the workers share. `pg` reads PGHOST, PGUSER, PGDATABASE and so on. */
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";

// The pool replaces an idle connection that breaks. Without a listener its error would end the process.
export const backend = createPostgresBackend({ pool: new Pool().on("error", console.error) });
