// Runs every script of tests that this machine can run, names the others, and fails if one fails: `npm run test:all`.
// `npm run test:night` also searches longer, and plays what no usual change can break. Names of scripts select some.
// `--list` only says what would run. `.ci/run` installs everything and skips nothing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import pg from "pg";

const BROKERS = "test/brokers rabbitmq-server nats-server redis-server";

/** A script does not run without what it `needs`. Without the `rest`, some of its tests are skipped by name. */
const scripts = {
  check: { needs: "test/browser test/tools" },
  test: { rest: "test/sqlite corpora xmllint yanglint" },
  "test:long": { rest: "test/sqlite corpora" },
  "test:runtimes": {
    needs: "test/runtimes test/registry",
    rest: "postgres test/tools examples/mcp-tools",
  },
  rehearse: { needs: "test/registry test/runtimes" },
  "test:frameworks": { needs: "test/frameworks test/frameworks/previous test/runtimes" },
  "test:orms": { needs: "test/orms postgres" },
  "test:servers": {
    needs: "test/servers test/opentelemetry test/registry",
    rest: "postgres pgbouncer test/runtimes",
  },
  "test:upgrade": { rest: "postgresql" },
  "test:brokers": { needs: BROKERS },
  "test:outages": { needs: BROKERS },
  "test:mixes": { needs: `${BROKERS} test/servers` },
  "test:clusters": { needs: BROKERS },
  "test:browser": { needs: "test/browser chromium", rest: "examples/answers/page" },
  "docs:build": { needs: "docs" },
  "test:site": { needs: "test/browser chromium site" },
};

const root = join(import.meta.dirname, "..");
const { CHROMIUM = "/usr/bin/chromium", CORPORA_DIR, DATABASE_URL, PATH = "", PGHOST } = process.env;

/** Requirements that are neither a program nor a folder: whether it is here, and what to do if not. */
const others = {
  chromium: [() => existsSync(CHROMIUM), "install chromium, or set CHROMIUM"],
  corpora: [() => existsSync(CORPORA_DIR ?? join(root, "../shared/corpora")), "set CORPORA_DIR"],
  postgres: [answers, "start Postgres, or set DATABASE_URL"],
  // Starts its own server, so that no server has to run.
  postgresql: [() => existsSync("/usr/lib/postgresql"), "install postgresql"],
  site: [() => existsSync(join(root, "docs/.vitepress/dist")), "npm run docs:build"],
};
const packages = { xmllint: "libxml2-utils", yanglint: "libyang2-tools" };

const list = process.argv.includes("--list");
const chosen = process.argv.slice(2).filter((name) => name !== "--list");
const unknown = chosen.find((name) => !(name in scripts));
if (unknown) throw new Error(`Unknown script "${unknown}". Known: ${Object.keys(scripts).join(", ")}.`);

const lines = [];
for (const [name, { needs = "", rest = "" }] of Object.entries(scripts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const [missing, partly] = [await todos(needs), await todos(rest)];
  if (missing !== "") lines.push(`skipped ${name}: ${missing}`);
  else lines.push(`${list ? "runs" : run(name)} ${name}${partly && `, in part: ${partly}`}`);
}
console.log(`\n${lines.join("\n")}`);
if (lines.some((line) => line.startsWith("failed"))) process.exitCode = 1;

function run(name) {
  const { status } = spawnSync("npm", ["run", name], { cwd: root, stdio: "inherit" });
  return status === 0 ? "passed" : "failed";
}

/** Returns what to do about everything that is not here. */
async function todos(names) {
  const found = await Promise.all(
    names
      .split(" ")
      .filter(Boolean)
      .map(async (name) => {
        if (existsSync(join(root, name, "package.json")))
          return existsSync(join(root, name, "node_modules")) ? [] : `npm ci --prefix ${name}`;
        // Debian puts some servers into a folder that is only on the path of root.
        const onPath = () =>
          [...PATH.split(delimiter), "/usr/sbin"].some((path) => existsSync(join(path, name)));
        const [isHere, todo] = others[name] ?? [onPath, `install ${packages[name] ?? name}`];
        return (await isHere()) ? [] : todo;
      }),
  );
  return found.flat().join("; ");
}

/** Returns whether a Postgres answers where the tests look for one. */
async function answers() {
  const connectionString = DATABASE_URL ?? (PGHOST ? undefined : "postgres://postgres@127.0.0.1:5432/test");
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
