// Compares the Postgres back end with its peers: `npm run bench:postgres`, or `npm run bench:postgres -- accept queue` for
// some sections only. More rounds and longer samples give more certain results: BENCH_ROUNDS (default: 5) and BENCH_SECONDS
// (per sample, default: 1). BENCH_SEED (default: 1) sets the order within the rounds. BENCH_VARIANTS="product,raw INSERT" limits
// accept and queue to these variants. `-- --against DIR` compares this build with the one of another checkout (default: 7 rounds).
import { runSections } from "./run-sections.mjs";

await runSections({
  peers: [new URL(".", import.meta.url)],
  contenders: "On Postgres",
  // Imported later because they need the peers.
  sections: async () => ({
    against: (await import("./sections/against.mjs")).against,
    accept: (await import("./sections/accept.mjs")).accept,
    many: (await import("./sections/many.mjs")).many,
    queue: (await import("./sections/queue.mjs")).queue,
    latency: (await import("./sections/latency.mjs")).latency,
    growth: (await import("./sections/growth.mjs")).growth,
    fairness: (await import("./sections/fairness.mjs")).fairness,
    full: (await import("./sections/full.mjs")).full,
    layouts: (await import("./sections/layouts.mjs")).layouts,
    purge: (await import("./sections/purge.mjs")).purge,
    stats: (await import("./sections/stats.mjs")).stats,
  }),
});
