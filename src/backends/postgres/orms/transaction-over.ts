/** Returns the error of a statement in a transaction that has ended, with the SQLSTATE that Postgres uses for it. */
export function transactionOver(cause?: unknown): Error {
  return Object.assign(new Error("The transaction has ended.", { cause }), { code: "25P01" });
}
