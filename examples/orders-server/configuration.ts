import { randomBytes } from "node:crypto";
import { type Backend, type KnownCredentials, withQueue } from "async-request-reply";
import { findBackend, findQueue } from "./backends.js";
import { StartError } from "./start-error.js";

export interface Configuration {
  readonly port: number;
  readonly host: string;
  readonly openBackend: () => Promise<Backend>;
  readonly role: "all" | "api" | "worker";
  readonly tokens: KnownCredentials;
  readonly workMs: number;
  readonly leaseMs: number;
  readonly log: "pretty" | "json";
  /** Whether the server makes traffic by itself, for the console. */
  readonly demo: boolean;
  /** Absent if there is no console. */
  readonly console?: ConsoleLogin;
}

/** Password of the console. */
export interface ConsoleLogin {
  readonly token: string;
  /** Whether the token was generated for this process, so that it has to be printed. */
  readonly generated: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Keeps accepted orders over a restart and needs no server. */
const DEFAULT_BACKEND = "sqlite:./orders.db";

/** Longest delay of a timer: 24.8 days. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Reads the configuration from environment variables. An empty value is invalid and not replaced by the default, so
 * that a secret that was left empty never becomes the demo token.
 *
 * @throws StartError, which names the variable
 */
export function readConfiguration(env: Environment): Configuration {
  const role = oneOf("ROLE", env.ROLE, ["all", "api", "worker"]);
  const host = hostName(env.HOST);
  const console = role === "worker" ? undefined : consoleLogin(env, host);
  return {
    ...(console === undefined ? {} : { console }),
    port: wholeNumber("PORT", env.PORT, { fallback: 3000, min: 0, max: 65_535 }),
    host,
    openBackend: backendOpener(env, role),
    role,
    tokens: tokens(env.API_TOKENS),
    workMs: wholeNumber("WORK_MS", env.WORK_MS, { fallback: 300, min: 0, max: MAX_MS }),
    leaseMs: wholeNumber("LEASE_MS", env.LEASE_MS, { fallback: 30_000, min: 1, max: MAX_MS }),
    log: oneOf("LOG", env.LOG, ["pretty", "json"]),
    demo: isDemo(env, role),
  };
}

function isDemo({ DEMO }: Environment, role: Configuration["role"]): boolean {
  const demo = oneOf("DEMO", DEMO, ["0", "1"]) === "1";
  if (demo && role !== "all")
    throw new StartError(`DEMO=1 runs in one process, so it needs ROLE=all, not ${role}`);
  return demo;
}

function backendOpener(env: Environment, role: Configuration["role"]): Configuration["openBackend"] {
  const { BACKEND: address = env.DEMO === "1" ? "memory:" : DEFAULT_BACKEND, QUEUE: queueAddress } = env;
  const kind = findBackend(address);
  const queueKind = queueAddress === undefined ? undefined : findQueue(queueAddress);
  if (role !== "all" && !kind.shared) {
    throw new StartError(
      `ROLE=${role} needs a BACKEND that several processes can share, such as sqlite:FILE or postgres://…, not ${address}`,
    );
  }
  return async () => {
    const backend = await kind.open(address);
    const queue = queueAddress === undefined ? undefined : await queueKind?.open(queueAddress);
    return queue === undefined ? backend : withQueue(backend, queue);
  };
}

/**
 * Parses `token=principal,…`. Tokens may end in `=` (RFC 6750 §2.1). Errors show positions only, because tokens are
 * secret.
 */
function tokens(value = "demo-token=demo"): KnownCredentials {
  const known = new Map<string, string>();
  for (const [index, pair] of value.split(",").entries()) {
    const [, token, principal] = /^([\w.~+/-]+=*)=([^=\s]+)$/.exec(pair) ?? [];
    if (token === undefined || principal === undefined)
      throw new StartError(
        `API_TOKENS must be a list of token=principal, separated by commas; entry ${index + 1} is not valid`,
      );
    if (known.has(token)) throw new StartError(`API_TOKENS must not repeat a token; entry ${index + 1} does`);
    known.set(token, principal);
  }
  return Object.fromEntries(known);
}

/** Generates a token, which is printed, only if a person reads the log and no other machine can reach the console. */
function consoleLogin({ CONSOLE_TOKEN: token, LOG }: Environment, host: string): ConsoleLogin | undefined {
  if (token === "") throw new StartError("CONSOLE_TOKEN must not be empty");
  if (token !== undefined) return { token, generated: false };
  const isLocal = /^(127\.[\d.]+|::1|localhost)$/.test(host);
  return isLocal && LOG !== "json"
    ? { token: randomBytes(16).toString("base64url"), generated: true }
    : undefined;
}

function hostName(value = "127.0.0.1"): string {
  if (/^[\w.:%-]+$/.test(value)) return value;
  throw new StartError(`HOST must be a host name or an IP address, not ${JSON.stringify(value)}`);
}

function wholeNumber(
  name: string,
  value: string | undefined,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  if (value === undefined) return fallback;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new StartError(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`);
}

/** Returns the value if it is allowed. The default is the first allowed value. */
function oneOf<const Value extends string>(
  name: string,
  value: string | undefined,
  allowed: readonly [Value, ...Value[]],
): Value {
  const found = value === undefined ? allowed[0] : allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new StartError(`${name} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
}
