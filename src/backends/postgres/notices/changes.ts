import { coalesce } from "../../../batching/coalesce.js";
import { pause } from "../../../batching/pause.js";
import { isOperationId } from "../../../contract/operation.js";
import type { Clock } from "../../../ports/runtime.js";
import { createWatchers, type Watchers } from "../../waking/watchers.js";
import type { Channels } from "./channels.js";

/** Notifies watchers when operations change. */
export interface Changes extends Watchers {
  /** Notifies watchers in this process at once, and in other processes in the background. Best effort. */
  ended(operationId: string): void;
}

/** Keeps payloads below the limit of Postgres, 8000 bytes. An id and a space are 37 bytes. */
const MAX_IDS = 200;
/**
 * Operations that end during this pause share a notification, so a busy worker sends only a few of them each second.
 */
const PAUSE_MS = 50;
/** More than can end during a pause. Further ids are dropped. */
const MAX_WAITING = 10_000;

/** Creates changes that also reach watchers in other processes, through a channel. */
export function createChanges(channels: Channels, channel: string, clock: Clock): Changes {
  const { changed, watch } = createWatchers();
  const onMessage = (message?: string): void => {
    if (message === undefined) changed();
    else for (const id of message.split(" ")) if (isOperationId(id)) changed(id);
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
      const stop = watch(onChange);
      channels.subscribe(channel, onMessage);
      return stop;
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

/** Ignores a lost notification: watchers also poll. */
function dropped(): void {}
