import { AsyncReplyError } from "../../contract/errors.js";
import { onAbort } from "../../platform/waits.js";
import type { Clock } from "../../ports/runtime.js";
import type { BuiltIns } from "./built-ins.js";
import { parseAddress } from "./judge-address.js";

/** Time that a DNS server has for its first answer. c-ares doubles it for the second try. */
const ANSWER_TIMEOUT_MS = 1_000;
/** Shorter than the first delay of a retry, so that a retry asks again. */
const KEEP_FAILURE_MS = 3_000;

/** A host to look up. */
export interface LookUpRequest {
  readonly host: string;
  /** Whether the system may find the host in other ways than DNS, such as search domains, if DNS does not know it. */
  readonly isTrusted: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

interface Failure {
  readonly error: unknown;
  readonly until: number;
}

/**
 * Creates a function that returns the addresses of a host, IPv4 first, because more networks reach them. It asks DNS
 * servers itself: `dns.lookup` cannot be cancelled, and each call holds one of the few threads of the process until the
 * servers have answered. Failures are kept for seconds.
 */
export function createLookUp(builtIns: BuiltIns): (request: LookUpRequest) => Promise<readonly string[]> {
  const inHostsFile = createHostsFile(builtIns);
  const failures = new Map<string, Failure>();

  return async (request) => {
    const { clock, signal } = request;
    if (parseAddress(request.host) !== undefined) return [request.host];
    const name = request.host.replace(/\.$/, "");
    const listed = await inHostsFile(name);
    if (listed.length > 0) return ipv4First(listed);
    // These names never leave the machine (RFC 6761 §6.3).
    if (/(^|\.)localhost$/.test(name)) return ["127.0.0.1", "::1"];
    const failure = failures.get(name);
    if (failure !== undefined && clock.elapsed() < failure.until) throw failure.error;
    try {
      return await ask(builtIns, name, request);
    } catch (error) {
      const now = clock.elapsed();
      for (const [other, { until }] of failures) if (until <= now) failures.delete(other);
      failures.set(name, { error: signal.aborted ? signal.reason : error, until: now + KEEP_FAILURE_MS });
      throw error;
    }
  };
}

function ipv4First(addresses: readonly string[]): readonly string[] {
  return [...addresses].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
}

async function ask(
  { dns }: BuiltIns,
  name: string,
  { host, isTrusted, signal }: LookUpRequest,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  // One for each look-up, because `cancel` ends all queries of a resolver.
  const resolver = new dns.promises.Resolver({ timeout: ANSWER_TIMEOUT_MS, tries: 2 });
  const forget = onAbort(signal, () => resolver.cancel());
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  forget();
  signal.throwIfAborted();
  const errors = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason as unknown] : [],
  );
  if (errors.length < answers.length)
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const silence = errors.find((error) => (error as { readonly code?: unknown }).code === "ETIMEOUT");
  if (silence !== undefined)
    throw new AsyncReplyError("ATTEMPT_TIMEOUT", `No DNS server answered for ${host} in time.`, {
      cause: silence,
    });
  if (!isTrusted) throw errors[0];
  const found = await dns.promises.lookup(host, { all: true });
  return ipv4First(found.map(({ address }) => address));
}

type Entries = ReadonlyMap<string, readonly string[]>;

/**
 * Creates a function that returns the addresses of a name in the hosts file of the system. The file is read again when
 * it has changed. A file that cannot be read has no entries.
 */
function createHostsFile({
  fs,
  process,
}: Pick<BuiltIns, "fs" | "process">): (name: string) => Promise<readonly string[]> {
  const path = process.platform === "win32" ? "C:/Windows/System32/drivers/etc/hosts" : "/etc/hosts";
  let entries: Entries = new Map();
  let version = "";
  return async (name) => {
    try {
      const { mtimeMs, size } = await fs.promises.stat(path);
      const current = `${mtimeMs} ${size}`;
      if (current !== version) entries = parse(await fs.promises.readFile(path, "utf8"));
      version = current;
    } catch {
      entries = new Map();
      version = "";
    }
    return entries.get(name) ?? [];
  };
}

function parse(text: string): Entries {
  const entries = new Map<string, readonly string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (parseAddress(address) === undefined) continue;
    for (const name of names.map((each) => each.toLowerCase()))
      entries.set(name, [...(entries.get(name) ?? []), address]);
  }
  return entries;
}
