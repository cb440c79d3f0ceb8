// Output while work runs, from a worker through an API process to readers over HTTP, each in its own process. Compares with the same
// by hand and with `resumable-stream`: `npm run bench:output`, or `npm run bench:output -- latency` for some sections only.
// BENCH_ROUNDS, BENCH_SECONDS and BENCH_SEED as for `npm run bench:postgres`. BENCH_VARIANTS="Postgres,Postgres by hand" limits the
// run to these variants. The section `followers` needs 10,100 open files.
import { runSections } from "../postgres/run-sections.mjs";

await runSections({
  peers: [new URL(".", import.meta.url), new URL("../postgres/", import.meta.url)],
  contenders: "With output",
  bed: new URL("bed.mjs", import.meta.url),
  // Imported later because they need the peers.
  sections: async () => ({
    latency: (await import("./sections/latency.mjs")).latency,
    cost: (await import("./sections/cost.mjs")).cost,
    many: (await import("./sections/many.mjs")).many,
    followers: (await import("./sections/followers.mjs")).followers,
  }),
});
