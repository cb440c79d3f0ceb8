import { isAsyncReplyError } from "../../../contract/errors.js";
import type { JsonText } from "../../../contract/operation.js";
import { parsePosition } from "../../../contract/output.js";
import type { HttpResponse } from "../../../http/message/message.js";
import type { Entry } from "../ledger/entry.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import { Process } from "../world/process.js";
import type { Apis } from "./actors.js";
import type { Caller } from "./drafts.js";
import { ask, statusOf } from "./requests.js";

const MAX_TRIES = 300;
/** Number of parts after which a reader goes on at another process. */
const MAX_PARTS = 5;

/** The part of an output that a reader holds. */
interface Reading {
  readonly entry: Entry;
  readonly held: JsonText[];
  /** Place to go on from. Absent at the beginning. */
  position?: string;
}

/** Outcome of one try to read on. */
type Outcome = "goes on" | "closed" | "gone";

/** Reads outputs of a tenant, one after the other and each to its end, until the history is over. */
export async function runReader(
  stage: Stage,
  apis: Apis,
  caller: Caller,
  over: () => boolean,
): Promise<void> {
  const { world, ledger } = stage;
  const clock = world.clockOf(new Process(caller.name));
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(ms, resolve));

  while (!over()) {
    const entry = chooseOne();
    if (entry !== undefined) await readToEnd({ entry, held: [] });
    await wait(5_000);
  }

  /** Chooses an operation. The least eventful choice is the newest one. */
  function chooseOne(): Entry | undefined {
    const { entries } = ledger;
    const readable = entries.where(
      (entry) => entry.promised && entry.tenant === caller.tenant && ledger.outputs.has(entry),
    );
    return readable.at(-1 - world.choices.choose(Math.max(1, readable.length)));
  }

  async function readToEnd(reading: Reading): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const outcome = await readOn(reading);
      if (outcome !== "goes on") return;
      await wait([1_000, 5_000, 60_000][world.choices.choose(3)] ?? 0);
    }
    ledger.violated("I28", `${caller.name} never got to the end of the output of ${reading.entry.id}`);
  }

  function readOn(reading: Reading): Promise<Outcome> {
    const way = world.choices.weighted([
      ["part", 3],
      ["long-poll", 2],
      ["call", 2],
    ]);
    return way === "call"
      ? readByCall(reading)
      : readByRequest(reading, way === "part" ? "" : "&live=long-poll");
  }

  async function readByRequest(reading: Reading, live: string): Promise<Outcome> {
    const { entry, position = "-1" } = reading;
    const { moment } = ledger.outputs;
    const path = `/operations/${entry.id}/output?offset=${position}${live}`;
    const response = await ask(stage, apis, caller, ["GET", path]);
    world.note(`${caller.name}: GET ${path} -> ${statusOf(response)} ${response?.body ?? ""}`);
    if (response?.status === 404) return gone(reading);
    const next = response?.headers["stream-next-offset"];
    if (response === undefined || next === undefined) return "goes on";
    reading.position = next;
    // After a 410, what the reader has from this place on does not stand any more.
    if (response.status === 410) reading.held.length = parsePosition(next)?.count ?? 0;
    reading.held.push(...chunksOf(response));
    const isClosed = response.headers["stream-closed"] === "true";
    ledger.outputs.held(entry.id, moment, reading.held, isClosed);
    return isClosed ? "closed" : "goes on";
  }

  async function readByCall(reading: Reading): Promise<Outcome> {
    const { entry, held, position: from } = reading;
    const { service, process } = apis.any();
    const { moment } = ledger.outputs;
    const parts = service.output(stage.orders, entry.id, { tenant: caller.tenant, ...(from && { from }) });
    try {
      for (let part = 0; part < MAX_PARTS; part += 1) {
        const next = await Promise.race([parts.next(), process.death]);
        if (next === undefined) return "goes on";
        if (next.done === true) {
          ledger.outputs.held(entry.id, moment, held, true);
          return "closed";
        }
        const { at, chunks, position } = next.value;
        held.length = at;
        held.push(...(chunks as readonly unknown[]).map((chunk) => JSON.stringify(chunk)));
        reading.position = position;
        world.note(`${process.name}: output of ${short(entry.id)} -> ${at} ${chunks}`);
        ledger.outputs.held(entry.id, moment, held, false);
      }
    } catch (error) {
      if (isAsyncReplyError(error) && error.code === "NOT_FOUND") return gone(reading);
      if (!isAsyncReplyError(error)) throw error;
    }
    void parts.return();
    return "goes on";
  }

  function gone({ entry }: Reading): Outcome {
    if (!ledger.entries.mayBeGone(entry))
      ledger.violated("I2", `the output of ${entry.id} was not found before it expired`);
    return "gone";
  }
}

function chunksOf({ status, body }: HttpResponse): readonly JsonText[] {
  if (status !== 200) return [];
  return (JSON.parse(String(body)) as unknown[]).map((chunk) => JSON.stringify(chunk));
}
