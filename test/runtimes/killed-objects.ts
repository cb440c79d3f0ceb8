import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../support/random.js";
import { workerd } from "./matrix.js";
import { type Project, workers } from "./project.js";
import { type ServerProcess, startServer } from "./server-process.js";
import { asTenant, type TenantClient } from "./tenant-client.js";

/** The server whose objects are killed. */
export const program = {
  runtime: workerd,
  args: [...workerd.options, "--experimental"],
  folder: workers.operationsInObjects,
};

const KILLS = 3;
const LONGEST_LIFE_MS = 3_000;
/** Leases end after 3 s, and alarms ring after 10 s. */
const PATIENCE_MS = 60_000;

/** A submission that its client repeats until it has an answer. */
interface Submission {
  readonly path: string;
  readonly body: object;
  readonly key: string;
  location?: string;
}

/** The submissions of one tenant, in order. */
class TenantHistory {
  readonly submissions: Submission[] = [];
  readonly violations: string[] = [];
  readonly #name: string;
  readonly #client: TenantClient;
  readonly #random: Random;
  #steps = 0;

  constructor(name: string, client: TenantClient, random: Random) {
    this.#name = name;
    this.#client = client;
    this.#random = random;
  }

  /** Submits until the server is killed. */
  async submitUntilKilled(isKilled: () => boolean): Promise<void> {
    while (!isKilled()) {
      const open = this.submissions.find(({ location }) => location === undefined);
      const repeats = this.submissions.length > 0 && this.#random.below(4) === 0;
      const next = open ?? (repeats ? this.#random.pick(this.submissions) : this.#next());
      if (!(await this.send(next))) return;
      await sleep(this.#random.below(30));
    }
  }

  /** Sends a submission. Returns whether the server has answered. */
  async send(submission: Submission): Promise<boolean> {
    const { path, body, key } = submission;
    let reply: Response;
    try {
      reply = await this.#client(path, { method: "POST", headers: { "idempotency-key": key }, body });
    } catch {
      return false;
    }
    const location = reply.headers.get("location") ?? undefined;
    if (reply.status >= 500) return false;
    if (location === undefined) {
      this.#violated(`${path} ${key} was answered with ${reply.status}`);
      return true;
    }
    if (submission.location !== undefined && submission.location !== location)
      this.#violated(`${path} ${key} has the operations ${submission.location} and ${location}`);
    submission.location = location;
    return true;
  }

  /** Returns whether everything that was accepted has completed. */
  async hasCompleted(): Promise<boolean> {
    const replies = await Promise.all(
      this.submissions.map(async ({ location = "" }) => (await this.#client(location)).json()),
    );
    return replies.every((reply) => (reply as { status: string }).status === "completed");
  }

  /** Compares what was done with what was submitted. */
  async check(): Promise<void> {
    const reply = await (await this.#client("/test/effects")).json();
    const effects = reply as { kind: string; value: string }[];
    const done = (kind: string): string[] =>
      effects.filter((each) => each.kind === kind).map(({ value }) => value);
    const orders = this.submissions.filter(({ path }) => path === "/orders").map(({ key }) => key);
    const isSame = [...done("order")].sort().join() === orders.sort().join();
    if (!isSame) this.#violated(`orders ${orders.sort()} were done as ${done("order").sort()}`);
    const steps = Array.from({ length: this.#steps }, (_, step) => String(step));
    if (done("step").join() !== steps.join())
      this.#violated(`${this.#steps} steps were done as ${done("step")}`);
  }

  #next(): Submission {
    const key = `key-${this.submissions.length}`;
    const submission: Submission =
      this.#random.below(2) === 0
        ? { path: "/orders", body: { itemId: key, quantity: 1 }, key }
        : { path: "/steps", body: { step: this.#steps++ }, key };
    this.submissions.push(submission);
    return submission;
  }

  #violated(what: string): void {
    this.violations.push(`${this.#name}: ${what}`);
  }
}

/** Lets tenants submit while their server is killed at random moments. Returns what was lost, done twice or out of order. */
export async function playKilledObjects(
  project: Project,
  { seed, tenants }: { readonly seed: number; readonly tenants: number },
): Promise<{ readonly violations: readonly string[]; readonly submissions: number }> {
  const random = createRandom(seed);
  let server: ServerProcess;
  const histories = Array.from({ length: tenants }, (_, place) => {
    const name = `${seed}-${place}`;
    return new TenantHistory(
      name,
      asTenant(name, () => server),
      createRandom(random.below(1_000_000_000)),
    );
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    server = await startServer(project, program);
    let killed = false;
    const submitting = histories.map((history) => history.submitUntilKilled(() => killed));
    await sleep(random.below(LONGEST_LIFE_MS));
    killed = true;
    await server.kill();
    await Promise.all(submitting);
  }
  server = await startServer(project, program);
  try {
    await Promise.all(histories.map(finish));
    return {
      violations: histories.flatMap(({ violations }) => violations),
      submissions: histories.reduce((sum, { submissions }) => sum + submissions.length, 0),
    };
  } finally {
    await server.kill();
  }
}

/** Repeats what has no answer, and waits until everything is done. */
async function finish(history: TenantHistory): Promise<void> {
  for (const submission of history.submissions)
    if (submission.location === undefined) await history.send(submission);
  const end = Date.now() + PATIENCE_MS;
  while (!(await history.hasCompleted()) && Date.now() < end) await sleep(500);
  await history.check();
}
