import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts an in-memory file system of a limited size on a folder. */
export function mountTmpfs(folder: string, megabytes: number): void {
  const { status, stderr, error } = mount(folder, megabytes);
  if (status !== 0) throw new Error(`cannot mount a tmpfs on ${folder}: ${error?.message ?? stderr}`);
}

/** Mounts a second, read-only view of a folder. */
export function mountReadOnly(folder: string, view: string): void {
  for (const args of [
    ["--bind", folder, view],
    ["-o", "remount,bind,ro", view],
  ]) {
    const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`cannot mount ${folder} on ${view}: ${stderr}`);
  }
}

/** Unmounts the file system with all its contents, even while it is in use. */
export function unmountTmpfs(folder: string): void {
  spawnSync("umount", ["--lazy", folder]);
}

/** Whether this process is allowed to mount. Root in a container often is not. */
export function canMountTmpfs(): boolean {
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
