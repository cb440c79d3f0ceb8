import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, pages } from "../support/pages.js";

const statements = pages.flatMap((page) =>
  blocksOf(page, "ts", "js").flatMap(({ place, text }) =>
    [...text.matchAll(/\.query\("([^"]+)"/g)].map(([, sql = ""]) => ({ place, sql })),
  ),
);
const SYNTAX_ERROR = "42601";

describe("a statement on a page", () => {
  const pglite = new PGlite();
  beforeAll(() => pglite.waitReady, 60_000);
  afterAll(() => pglite.close());

  it.each(statements)("is understood by Postgres: $sql ($place)", async ({ sql }) => {
    // Tables and functions of the page do not exist here, so only the syntax counts.
    const code = await pglite.describeQuery(sql).then(
      () => undefined,
      (error: { readonly code?: string }) => error.code,
    );
    expect(code).not.toBe(SYNTAX_ERROR);
  });

  it("is on the page of transactions", () => {
    expect(statements.some(({ place }) => place.startsWith("docs/transactions.md"))).toBe(true);
  });
});
