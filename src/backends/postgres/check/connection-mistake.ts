import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { codeOf } from "../connection/error-code.js";
import { withoutData } from "../connection/error-without-data.js";

/** An error of the network, as Node shows it. */
interface NetworkError {
  readonly message?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
  /** Node tries several addresses, and then has one error for each. */
  readonly errors?: unknown;
}

type Sentence = (error: NetworkError) => string;

const CONNECTION = "the connection options of the pool";

/** The server was reached and refuses this pool. Trying again does not help. */
const REFUSALS = table({
  "28P01": (error) =>
    `The server rejected the password of ${named("role", error)}. Correct \`user\` and \`password\` in ${CONNECTION}.`,
  "28000": (error) =>
    `The server does not let ${named("role", error)} log in. Create the role with \`create role … login\`, allow it in ` +
    `pg_hba.conf, or correct \`user\` in ${CONNECTION}.`,
  "3D000": (error) =>
    `${capitalized(named("database", error))} does not exist on the server. Create it with \`create database\`, or correct ` +
    `\`database\` in ${CONNECTION}.`,
  "42501": (error) =>
    `The role of the pool may not connect to ${named("database", error)}. Run \`grant connect on database … to …\` as its owner.`,
});

/** The server cannot be reached, or not yet. */
const FAILURES = table({
  ECONNREFUSED: (error) =>
    `No server accepts connections at ${placesOf(error)} (ECONNREFUSED). Start PostgreSQL there, or correct \`host\` and ` +
    `\`port\` in ${CONNECTION}.`,
  ENOENT: (error) =>
    `There is no server at the socket ${placesOf(error)} (ENOENT). Start PostgreSQL there, or correct \`host\` and \`port\` in ` +
    `${CONNECTION}.`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ETIMEDOUT: timedOut,
  CONNECT_TIMEOUT: timedOut,
  "53300": () =>
    "The server has no connection left (53300). Lower `max` of the pools that connect to it, or raise `max_connections`.",
  "57P03": () =>
    "The server is starting up or shutting down (57P03). Wait until it accepts connections, and look at its log if it does not.",
});

/** Codes of errors can be any text, so names that every object has must not be found. */
function table(sentences: Readonly<Record<string, Sentence>>): ReadonlyMap<string, Sentence> {
  return new Map(Object.entries(sentences));
}

/** Returns why no connection could be used, and what to do about it. The password is never part of it. */
export function connectionMistake(error: unknown): AsyncReplyError {
  const code = codeOf(error);
  const refusal = isAboutPassword(error) ? passwordMissing : REFUSALS.get(code);
  const failure = isTimeout(error) ? timedOut : FAILURES.get(code);
  const cause = withoutData(error);
  if (refusal !== undefined)
    return new AsyncReplyError("INVALID_OPTION", refusal(error as NetworkError), { cause });
  if (failure !== undefined)
    return new AsyncReplyError("STORE_UNAVAILABLE", failure(error as NetworkError), { cause });
  const shown = /^[A-Z0-9_]{4,}$/.test(code) ? ` (${code})` : "";
  return new AsyncReplyError(
    "STORE_UNAVAILABLE",
    `The database cannot be used${shown}. The cause of this error says why. Check ${CONNECTION} and the log of the server.`,
    { cause },
  );
}

/** Whether a connection could not be had, as far as the error of a call tells. */
export function isAboutConnecting(error: unknown): boolean {
  const code = codeOf(error);
  // The server refuses a role in this routine, and statements in others.
  if (code === "42501") return (error as { readonly routine?: unknown }).routine === "CheckMyDatabase";
  return REFUSALS.has(code) || FAILURES.has(code) || isAboutPassword(error) || isTimeout(error);
}

/** `pg` finds out by itself that it has no password to send. */
function isAboutPassword(error: unknown): boolean {
  return codeOf(error) === "" && /^SASL: .*password must be/.test(messageOf(error));
}

function isTimeout(error: unknown): boolean {
  return isAsyncReplyError(error) || (codeOf(error) === "" && /time(d )?out/i.test(messageOf(error)));
}

function messageOf(error: unknown): string {
  return String((error as NetworkError | undefined)?.message);
}

function passwordMissing(): string {
  return `The server asks for a password, and the pool has none. Set \`password\` in ${CONNECTION}.`;
}

function unknownHost({ hostname }: NetworkError): string {
  const host = typeof hostname === "string" ? `host "${hostname}"` : "host of the pool";
  return `The ${host} has no address. Correct \`host\` in ${CONNECTION}, or wait until the name service knows it.`;
}

function timedOut(): string {
  return (
    "The pool gave no connection in time, or the server did not answer in time. Check `host` and `port` in " +
    `${CONNECTION}, a firewall between, and whether all connections of the pool are in use.`
  );
}

const NAMED = { role: /(?:role|user) "([^"]+)"/, database: /database "([^"]+)"/ };

/** Returns what the message of the server names. Messages in other languages are not understood. */
function named(what: keyof typeof NAMED, error: NetworkError): string {
  const [, name] = NAMED[what].exec(messageOf(error)) ?? [];
  return name === undefined ? `the ${what} of the pool` : `${what} "${name}"`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function placesOf(error: NetworkError): string {
  const all = (Array.isArray(error.errors) ? error.errors : [error]) as readonly NetworkError[];
  const places = all.filter(({ address }) => typeof address === "string").map(placeOf);
  return places.length === 0 ? "the address of the pool" : [...new Set(places)].join(" and ");
}

function placeOf({ address, port }: NetworkError): string {
  if (port === undefined) return String(address);
  return String(address).includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
