import { coalesce } from "../../../batching/coalesce.js";
import { pause } from "../../../batching/pause.js";
import { isOperationId } from "../../../contract/operation.js";
import type { Clock } from "../../../ports/runtime.js";
import type { Channels } from "./channels.js";

/** Who is told of operations that change. */
export interface Changes {
  /** Tells this process. */
  changed(operationId: string): void;
  /** Tells this process at once, and all others as far as notifications get. Nothing waits for it. */
  ended(operationId: string): void;
  /** Calls `onChange` with what is told from now on, until the returned function is called. */
  watch(onChange: (operationId: string) => void): () => void;
}

/** A payload is below 8000 bytes; an id and a space are 37. */
const MAX_IDS = 200;
/** What ends meanwhile shares a transaction, so that a busy worker pays for a few of them each second. */
const PAUSE_MS = 50;
/** More than what ends in a pause: the rest is lost. */
const MAX_WAITING = 10_000;

/** Tells of changes, by a channel also those who watch in other processes. */
export function createChanges(channels: Channels, channel: string, clock: Clock): Changes {
  const watchers = new Set<{ readonly onChange: (operationId: string) => void }>();
  const changed = (operationId: string): void => {
    for (const { onChange } of watchers) onChange(operationId);
  };
  const hear = (message = ""): void => {
    for (const id of message.split(" ")) if (isOperationId(id)) changed(id);
  };

  const published = coalesce<string, void>({
    maxBatch: MAX_WAITING,
    maxWaiting: MAX_WAITING,
    flush: async (ids) => {
      await channels.notify(channel, messagesOf(ids));
      await pause(PAUSE_MS, clock);
      return [];
    },
  });

  return {
    changed,
    ended: (operationId) => {
      changed(operationId);
      published.add(operationId).catch(dropped);
    },
    watch: (onChange) => {
      const watcher = { onChange };
      watchers.add(watcher);
      channels.subscribe(channel, hear);
      return () => void watchers.delete(watcher);
    },
  };
}

function messagesOf(ids: readonly string[]): readonly string[] {
  const messages: string[] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    messages.push(ids.slice(start, start + MAX_IDS).join(" "));
  }
  return messages;
}

/** Whoever watches looks by itself as well. */
function dropped(): void {}
