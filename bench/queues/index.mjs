// Compares a queue on each broker with Postgres's own queue, and with the same client library and store by hand:
// `npm run bench:queues`, or `npm run bench:queues -- latency` for some sections only. BENCH_ROUNDS, BENCH_SECONDS and BENCH_SEED as
// for `npm run bench:postgres`. BENCH_VARIANTS="RabbitMQ,RabbitMQ by hand" limits the run to these variants.
import { runSections } from "../postgres/run-sections.mjs";

await runSections({
  peers: [new URL(".", import.meta.url), new URL("../postgres/", import.meta.url)],
  contenders: "With message brokers",
  bed: new URL("bed.mjs", import.meta.url),
  // Imported later because they need the peers.
  sections: async () => ({
    throughput: (await import("./sections/throughput.mjs")).throughput,
    latency: (await import("./sections/latency.mjs")).latency,
  }),
});
