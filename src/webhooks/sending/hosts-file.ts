import { parseAddress } from "./addresses.js";
import type { BuiltIns } from "./built-ins.js";

type Entries = ReadonlyMap<string, readonly string[]>;

/**
 * Creates a function that returns the addresses of a name in the hosts file of the system. The file is read again when
 * it has changed. A file that cannot be read has no entries.
 */
export function createHostsFile({
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
