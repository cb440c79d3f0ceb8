import { sleep } from "../../platform/waits.js";
import type { Listening, Queue, RingListener } from "../../ports/queue.js";
import type { Ring } from "../../ports/ring.js";
import { readRing } from "./rings.js";
import type { BrokerSettings } from "./settings.js";

/** The messages of one definition, each of which goes to one source. */
export interface Source {
  /**
   * Takes one message, of which the broker hears that it has arrived. Resolves to `undefined` if none has come for a while, once
   * the source has connected, and at `rest`. Make one call at a time.
   *
   * Throws `QUEUE_UNAVAILABLE`.
   */
  take(): Promise<string | undefined>;
  /** Lets the broker send messages to other sources until the next `take`. */
  rest(): void;
  /** Does the same, and releases what it holds. Never rejects. */
  close(): Promise<void>;
}

/** Dependencies of the workers that listen to a queue. */
export interface ListenContext {
  readonly settings: Pick<BrokerSettings, "observe" | "runtime">;
  readonly publish: Queue["publish"];
  /** Opens the source of a definition. Does not use the broker yet. */
  readonly open: (definition: string) => Source;
}

/** Time after which a source that failed is used again. Milliseconds. */
const PAUSE_AFTER_FAILURE_MS = 1_000;
/** Time after which a source rests that the worker no longer wants. Shorter breaks cost no call. Milliseconds. */
const REST_MS = 1_000;

/** Creates the function through which workers listen. `close` ends all that still do. */
export function createListen(context: ListenContext): Pick<Queue, "listen" | "close"> {
  const open = new Set<Listening>();
  return {
    listen: (listener) => {
      const lines = new Map<string, Line>();
      let isClosed = false;
      const lineOf = (definition: string): Line => {
        const line = lines.get(definition) ?? createLine(definition, listener, context);
        lines.set(definition, line);
        return line;
      };
      const listening: Listening = {
        want: (definitions) => {
          if (isClosed) return;
          for (const [definition, line] of lines) if (!definitions.has(definition)) line.drop();
          for (const definition of definitions) lineOf(definition).keep();
        },
        close: async () => {
          isClosed = true;
          open.delete(listening);
          await Promise.all([...lines.values()].map((line) => line.close()));
        },
      };
      open.add(listening);
      return listening;
    },
    close: async () => void (await Promise.all([...open].map((listening) => listening.close()))),
  };
}

/** The rings of one definition that one worker hears. */
interface Line {
  /** The worker has made a claim, and has free slots. */
  keep(): void;
  /** The worker has no free slots. */
  drop(): void;
  /** Never rejects. */
  close(): Promise<void>;
}

function createLine(
  definition: string,
  { onRing, onError }: RingListener,
  { settings: { observe, runtime }, publish, open }: ListenContext,
): Line {
  const { clock } = runtime;
  const source = open(definition);
  const closing = new AbortController();
  let isWanted = false;
  /**
   * Number of claims, the last of which is the first that is sure to have begun after the last ring. If these leave free slots,
   * they have taken all work.
   */
  let claimsToMake = 0;
  let proceed: () => void = () => {};
  let cancelRest: () => void = () => {};
  let ringing: Promise<void> | undefined;

  function ringOn(ring: Ring): void {
    ringing = publish([ring]).catch((error: unknown) =>
      observe({ event: "background.failed", step: "ring", error }),
    );
  }

  function arrive(text: string): void {
    const ring = readRing(text, definition, observe);
    if (ring === undefined) return;
    if (isWanted) {
      claimsToMake = 2;
      onRing();
    } else ringOn(ring);
  }

  /** Waits until the worker wants a ring, and has claimed since the last one. Until then, others wake up other workers. */
  async function untilWanted(): Promise<void> {
    while (!closing.signal.aborted && (!isWanted || claimsToMake === 2))
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
  }

  async function run(): Promise<void> {
    let isFailing = false;
    while (!closing.signal.aborted) {
      try {
        const text = await source.take();
        isFailing = false;
        // After the end, the queue may be closed too.
        if (text !== undefined && !closing.signal.aborted) arrive(text);
      } catch (error) {
        // The end of a source rejects the calls that the broker has not answered yet.
        if (closing.signal.aborted) break;
        if (!isFailing) onError(error);
        isFailing = true;
        await sleep(PAUSE_AFTER_FAILURE_MS, clock, closing.signal);
      }
      await untilWanted();
    }
  }

  function drop(): void {
    if (!isWanted) return;
    isWanted = false;
    if (claimsToMake > 0) ringOn({ definition });
    claimsToMake = 0;
    cancelRest = clock.schedule(REST_MS, source.rest);
  }

  void run();
  return {
    keep: () => {
      cancelRest();
      isWanted = true;
      if (claimsToMake > 0) claimsToMake -= 1;
      proceed();
    },
    drop,
    close: async () => {
      drop();
      cancelRest();
      closing.abort();
      proceed();
      await Promise.all([ringing, source.close()]);
    },
  };
}
