// Installs the packages that the site is built with, in a clone that has none yet: those of the site, and those of the
// repository, of which TypeDoc and the sources of the reference need some.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { docs } from "./pages.mjs";

for (const [name, folder] of [
  ["the repository", join(docs, "..")],
  ["the site", docs],
]) {
  if (existsSync(join(folder, "node_modules"))) continue;
  process.stdout.write(`Installing the packages of ${name}, because ${folder} has no node_modules.\n`);
  execFileSync("npm", ["ci"], { cwd: folder, stdio: "inherit" });
}
