import { own } from "./build.mjs";
import { compare } from "./compare.mjs";

const CLIENTS = [1, 32, 128];
const WORKER_CLIENTS = 32;
/** BENCH_CROWD sets the number of tenants with due work. Ten times as many have work that is due later. */
const CROWD = Number(process.env.BENCH_CROWD ?? 1_000);

/**
 * Creates the section that compares this build with another one on a store. `variant` is the product on that store, and `handled`
 * the same behind `service.handle` or a socket.
 */
export function againstOnStore({ variant, handled }) {
  return async ({ before, rounds, seed, seconds, withVariants }) => {
    const both = (of) => [
      { ...of, name: "before", build: before },
      { ...of, name: "now", build: own },
    ];
    const accept = (clients) => (subject) => subject.call("accept", { clients, seconds });
    const run = (title, of, measures) =>
      withVariants(both(of), async (subjects) => {
        for (const subject of subjects) await accept(WORKER_CLIENTS)(subject); // warm-up
        await compare(title, { subjects, measures, rounds, seed });
      });
    await run(variant.name, variant, {
      ...Object.fromEntries(CLIENTS.map((clients) => [`accept, ${clients} clients`, accept(clients)])),
      "accept to completed": (subject) => subject.call("queue", { clients: WORKER_CLIENTS, seconds }),
      "claim and settle": async (subject) => {
        await accept(WORKER_CLIENTS)(subject);
        return subject.call("drain");
      },
      [`claim and settle, ${CROWD} tenants`]: (subject) =>
        subject.call("crowd", { tenants: CROWD, each: 10 }),
      [`claim and settle beside ${CROWD * 10} tenants with later work`]: (subject) =>
        subject.call("crowd", { tenants: 1, each: CROWD * 10, later: CROWD * 10 }),
    });
    await run(handled.name, handled, { "accept, 32 clients": accept(WORKER_CLIENTS) });
  };
}
