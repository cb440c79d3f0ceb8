import { misuse } from "../../../contract/options.js";
import { builtinModule } from "../../../platform/builtin-module.js";

/** The parts of `node:fs` and `node:path` that are used. */
interface FileSystem {
  statfsSync(path: string): { readonly type: number };
}
interface Path {
  dirname(path: string): string;
}

/** Types of file systems that several machines share, from `statfs(2)` of Linux. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x0bd00bd0, "Lustre"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x47504653, "GPFS"],
]);

/**
 * Refuses a database file on a network mount, where two machines would damage it. Does nothing if the platform cannot
 * name its file systems.
 *
 * Throws `INVALID_OPTION`.
 */
export function refuseNetworkMount(file: string): void {
  const type = typeOf(file);
  // Some platforms return the type as a signed number.
  const name = type === undefined ? undefined : NETWORK.get(type >>> 0);
  if (name === undefined) return;
  throw misuse(
    `The database file is on a network mount (${name}). The write-ahead log of SQLite needs memory that all processes ` +
      "share, so two machines would damage the file. Move it to a local disk, or use Postgres.",
  );
}

/** Returns the type of the file system. Asks its folder, because the file might not exist yet. */
function typeOf(file: string): number | undefined {
  try {
    const folder = builtinModule<Path>("node:path")?.dirname(file);
    return folder === undefined ? undefined : builtinModule<FileSystem>("node:fs")?.statfsSync(folder).type;
  } catch {
    return undefined;
  }
}
