import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { codeOf, withoutData } from "../connection/driver-error.js";

/** Network error as Node reports it. */
interface NetworkError {
  readonly message?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
  /** One error for each address, if Node tried several. */
  readonly errors?: unknown;
}

type Sentence = (error: NetworkError) => string;

const CONNECTION = "the connection options of the pool";

/** Messages for errors of a server that refuses the pool. Retrying does not help. */
const REFUSALS = table({
  "28P01": (error) =>
    `The server rejected the password of ${named("role", error)}. Correct \`user\` and \`password\` in ${CONNECTION}.`,
  "28000": (error) =>
    `The server does not allow ${named("role", error)} to log in. Create the role with \`create role … login\`, allow it in ` +
    `pg_hba.conf, or correct \`user\` in ${CONNECTION}.`,
  "3D000": (error) =>
    `${capitalized(named("database", error))} does not exist on the server. Create it with \`create database\`, or correct ` +
    `\`database\` in ${CONNECTION}.`,
  "42501": (error) =>
    `The role of the pool has no permission to connect to ${named("database", error)}. Run \`grant connect on database … to …\` ` +
    "as the owner of the database.",
});

/** Messages for errors of a server that cannot be reached now. */
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
    "The server has no connections left (53300). Lower `max` of the pools that connect to it, or raise `max_connections`.",
  "57P03": () =>
    "The server is starting up or shutting down (57P03). Wait until it accepts connections. If it does not, check its log.",
});

/**
 * Creates a map instead of an object, because error codes can be any text, such as the name of an inherited member.
 */
function table(sentences: Readonly<Record<string, Sentence>>): ReadonlyMap<string, Sentence> {
  return new Map(Object.entries(sentences));
}

/** Returns an error that says why the connection failed and what to do about it. Never contains the password. */
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

/** Whether the error of a call says that the connection failed. */
export function isAboutConnecting(error: unknown): boolean {
  const code = codeOf(error);
  // The server uses this code for statements too, but only this routine refuses connections.
  if (code === "42501") return (error as { readonly routine?: unknown }).routine === "CheckMyDatabase";
  return REFUSALS.has(code) || FAILURES.has(code) || isAboutPassword(error) || isTimeout(error);
}

/** Whether `pg` had no password to send. It throws this error itself, without a code. */
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
  return `The server asks for a password, but the pool has none. Set \`password\` in ${CONNECTION}.`;
}

function unknownHost({ hostname }: NetworkError): string {
  const host = typeof hostname === "string" ? `host "${hostname}"` : "host of the pool";
  return `The ${host} could not be resolved. Correct \`host\` in ${CONNECTION}, or wait until DNS can resolve it.`;
}

function timedOut(): string {
  return (
    "The pool provided no connection in time, or the server did not answer in time. Check `host` and `port` in " +
    `${CONNECTION}, any firewall in between, and whether all connections of the pool are in use.`
  );
}

const NAMED = { role: /(?:role|user) "([^"]+)"/, database: /database "([^"]+)"/ };

/** Returns the role or database that the server's message names. Only understands messages in English. */
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
