import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a file system of a limited size, which lives in memory, on a folder. */
export function mountTmpfs(folder: string, megabytes: number): void {
  const { status, stderr, error } = mount(folder, megabytes);
  if (status !== 0) throw new Error(`cannot mount a tmpfs on ${folder}: ${error?.message ?? stderr}`);
}

/** Takes it away again, with all that is on it, whoever still uses it. */
export function unmountTmpfs(folder: string): void {
  spawnSync("umount", ["--lazy", folder]);
}

/** Whether this process may mount at all: root in a container often may not. */
export function mayMountTmpfs(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "tmpfs-"));
  const mounted = mount(folder, 1).status === 0;
  if (mounted) unmountTmpfs(folder);
  rmSync(folder, { recursive: true });
  return mounted;
}

function mount(folder: string, megabytes: number): ReturnType<typeof spawnSync> {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], {
    encoding: "utf8",
  });
}
