import { AsyncReplyError } from "../../../contract/errors.js";
import { isRefusal } from "../connection/store-error.js";

/** Tracks the tries of one call, to know whether any of them may have taken effect. */
export interface Sending {
  /**
   * Records that the statement is about to be sent. Throws if the caller has given up, so the statement is not sent.
   */
  send(): void;
  /** Records that a try has failed. */
  failed(error: unknown): void;
  /** Gives up, and returns whether a statement that was sent may have taken effect. */
  giveUp(): boolean;
}

/** Creates a {@link Sending}. Calls `onSend` whenever the statement is about to be sent. */
export function createSending(onSend?: () => void): Sending {
  let sent = false;
  let lost = false;
  let over = false;
  return {
    send: () => {
      if (over) throw new AsyncReplyError("STORE_UNAVAILABLE", "The caller has already timed out.");
      onSend?.();
      sent = true;
    },
    failed: (error) => {
      lost ||= sent && !isRefusal(error);
      sent = false;
    },
    giveUp: () => {
      over = true;
      return lost || sent;
    },
  };
}
