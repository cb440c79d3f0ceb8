import type { SqlClient, SqlPool } from "async-request-reply/postgres";

/** Creates a pool that takes its connections from a function. */
export function poolOf<Client extends SqlClient>(take: () => Promise<Client>): SqlPool<Client> {
  return {
    connect: (callback) => {
      take().then(
        (client) => callback(undefined, client),
        (error: Error) => callback(error, undefined),
      );
    },
  };
}
