import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { printRows } from "./report.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

const MAX_PACKAGES = 3;
const MAX_INSTALLED_MB = 2.3;

/** The imports that such a service needs, and those that are not counted. */
const own = {
  name: "product, own code of .",
  imports: ["./dist/index.js"],
  external: ["zod", "zod/*", "uuid"],
};
const whole = {
  name: `product ${version}, with zod and uuid`,
  imports: ["./dist/index.js"],
  depends: ["uuid", "zod"],
};
const peers = [
  peer("hono", "@hono/node-server", "@hono/zod-validator", "zod"),
  peer("h3"),
  peer("fastify"),
  peer("express"),
  peer("express", "@node-idempotency/core", "zod"),
];

function peer(...names) {
  return { name: names.join(" + "), imports: names, depends: names, folder: here };
}

/** G12: number of packages that an installation adds, size of the package on disk, and size of the imports in a bundle for Node. */
export async function printSizes() {
  const installedMb = unpackedBytes() / 1024 ** 2;
  const rows = [];
  for (const subject of [own, whole, ...peers]) {
    const kilobytes = ((await gzippedBytes(subject)) / 1024).toFixed(1);
    rows.push([subject.name, String(installed(subject) ?? "-"), kilobytes]);
  }
  console.log("\nG12: size");
  printRows([["variant", "packages installed", "KB min+gzip"], ...rows]);
  printRows([
    ["goal", "variant", "bound", "measured", ""],
    [
      "G12",
      whole.name,
      `<= ${MAX_PACKAGES} packages`,
      rows[1][1],
      rows[1][1] <= MAX_PACKAGES ? "met" : "missed",
    ],
    [
      "G12",
      `product ${version}, unpacked`,
      `<= ${MAX_INSTALLED_MB} MB`,
      installedMb.toFixed(2),
      installedMb <= MAX_INSTALLED_MB ? "met" : "missed",
    ],
  ]);
}

/** Builds the package as it is published, with declarations, and returns its unpacked size. */
function unpackedBytes() {
  const npm = (...args) =>
    execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  npm("run", "--silent", "build");
  const [{ unpackedSize }] = JSON.parse(npm("pack", "--dry-run", "--json", "--ignore-scripts"));
  return unpackedSize;
}

async function gzippedBytes({ imports, external = [], folder = root }) {
  const { outputFiles } = await build({
    stdin: { contents: imports.map((name) => `export * from "${name}";`).join("\n"), resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    external,
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).byteLength;
}

/** Counts the direct and transitive dependencies in the lock file. The product counts itself too. */
function installed({ depends, folder = root }) {
  if (depends === undefined) return undefined;
  const { packages } = JSON.parse(readFileSync(`${folder}package-lock.json`, "utf8"));
  const found = new Set(folder === root ? [""] : []);
  const add = (name, from) => {
    const path = resolve(packages, name, from);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const dependency of Object.keys(packages[path].dependencies ?? {})) add(dependency, path);
  };
  for (const name of depends) add(name, "");
  return found.size;
}

/** Resolves a package as the package at `from` would: next to it, or further up. */
function resolve(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (folder === "") return undefined;
  }
}
