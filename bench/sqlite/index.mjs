// Compares the SQLite back end with our Postgres back end and with its peers: `npm run bench:sqlite`, or `npm run bench:sqlite --
// accept growth` for some sections only. BENCH_ROUNDS, BENCH_SECONDS, BENCH_SEED and `--against` as for `npm run bench:postgres`.
import { runSections } from "../postgres/run-sections.mjs";

await runSections({
  peers: [new URL(".", import.meta.url), new URL("../postgres/", import.meta.url)],
  contenders: "On SQLite",
  // better-sqlite3 is compiled for the Node that installs it.
  ownNode: true,
  // Imported later because they need the peers.
  sections: async () => ({
    against: (await import("./sections/against.mjs")).against,
    accept: (await import("./sections/accept.mjs")).accept,
    many: (await import("./sections/many.mjs")).many,
    queue: (await import("./sections/queue.mjs")).queue,
    growth: (await import("./sections/growth.mjs")).growth,
    fairness: (await import("./sections/fairness.mjs")).fairness,
    full: (await import("./sections/full.mjs")).full,
    counts: (await import("./sections/counts.mjs")).counts,
    http: (await import("./sections/http.mjs")).http,
  }),
});
