import { inspect, types } from "node:util";
import type { Observer, ServiceEvent } from "async-request-reply";

export interface Log {
  /** Writes one line for each event. */
  readonly observe: Observer;
  /** Writes a line about the process itself. */
  notice(sentence: string): void;
}

/**
 * Creates a log. `pretty` writes everything to stdout, for people. `json` writes one JSON object per line to stdout,
 * and notices to stderr.
 */
export function createLog(format: "pretty" | "json"): Log {
  const notices = format === "json" ? process.stderr : process.stdout;
  const toLine = format === "json" ? toJson : toSentence;
  return {
    observe: (event) => void process.stdout.write(`${toLine(event)}\n`),
    notice: (sentence) => void notices.write(`${sentence}\n`),
  };
}

function toJson(event: ServiceEvent): string {
  return JSON.stringify({ time: new Date().toISOString(), ...event, ...errorText(event, inspect) });
}

function toSentence(event: ServiceEvent): string {
  const { event: name, ...rest } = { ...event, ...errorText(event, messageOf) };
  const members = Object.entries(rest).map(([member, value]) => `${member}=${String(value)}`);
  return [new Date().toISOString(), name, ...members].join(" ");
}

/** Returns the error of an event as text, because JSON would show it as `{}`. */
function errorText(event: ServiceEvent, show: (error: unknown) => string): { readonly error?: string } {
  return "error" in event && event.error !== undefined ? { error: show(event.error) } : {};
}

/** Quotes the message. It may contain client input, and a line break in it must not start a new log entry. */
function messageOf(error: unknown): string {
  return JSON.stringify(types.isNativeError(error) ? error.message : inspect(error));
}
