// How fast the console shows a million operations on Postgres, in Chromium: `npm run bench:console`. BENCH_ROUNDS (5) is the number of
// times that each page is loaded. Needs `npm ci --prefix test/browser` and `npm ci --prefix bench/postgres`.
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createConsole } from "../../dist/console.js";
import { toNodeHandler } from "../../dist/node.js";
import { createOperator } from "../../dist/operator.js";
import { createPostgresBackend } from "../../dist/postgres.js";
import { startPostgres } from "../postgres/servers/private-postgres.mjs";
import { createPool } from "../postgres/variants/pool.mjs";
import { median, printRows } from "../report.mjs";
import { definitions, fill, OPERATIONS } from "./fill.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PAGES = [
  ["overview", "?"],
  ["one definition", "?definition=orders"],
  ["list", "?show=list"],
  ["failures by reason", "?show=failures"],
];
const { chromium } = createRequire(new URL("../../test/browser/package.json", import.meta.url))(
  "playwright-core",
);

const postgres = await startPostgres();
const pool = createPool(postgres.urlOf("postgres"));
const backend = createPostgresBackend({ pool });
await backend.migrate();
await fill(pool, backend);
const operator = createOperator({ backend, definitions, observe: false });
const server = createServer(
  toNodeHandler(createConsole({ operator, authorize: () => "operate", observe: false })),
);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/console/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

/** Loads a page in a new profile. Returns the time until something is painted, and until everything is shown. Milliseconds. */
async function load(query) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${url}${query}`);
  await page.locator("main[aria-busy=false]").waitFor();
  const times = await page.evaluate(() => ({
    paintedMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    shownMs: performance.now(),
  }));
  await context.close();
  return times;
}

console.log(
  `${OPERATIONS.toLocaleString("en")} operations on Postgres, Chromium ${browser.version()}, ${ROUNDS} loads of each page.`,
);
const rows = [["page", "first paint ms", "everything shown ms"]];
const figure = (values) =>
  `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)})`;
for (const [name, query] of PAGES) {
  await load(query); // warm-up
  const samples = [];
  for (let round = 0; round < ROUNDS; round += 1) samples.push(await load(query));
  rows.push([
    name,
    figure(samples.map((each) => each.paintedMs)),
    figure(samples.map((each) => each.shownMs)),
  ]);
}
printRows(rows);
await browser.close();
server.closeAllConnections();
server.close();
await pool.end();
await postgres.stop();
