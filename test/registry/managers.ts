import { dirname, join } from "node:path";
import { bun, deno } from "../runtimes/matrix.js";
import { manifest } from "../support/built.js";
import type { Page } from "../support/pages.js";

const installed = (path: string): string => join(import.meta.dirname, "node_modules", path);

/** Folders with the programs of package managers. Node comes with npm. */
export const managerFolders: readonly string[] = [
  installed(`@pnpm/exe.linux-${process.arch}`),
  installed(".bin"),
  ...[bun, deno].map(({ program }) => dirname(program)),
];

/** Settings with which package managers use this registry, even for a package that was published a moment ago. */
export function managerSettings(registry: string): Readonly<Record<string, string>> {
  return {
    // Bun and Deno also read these.
    NPM_CONFIG_REGISTRY: registry,
    NPM_CONFIG_MIN_RELEASE_AGE: "0",
    PNPM_CONFIG_REGISTRY: registry,
    PNPM_CONFIG_MINIMUM_RELEASE_AGE: "0",
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
    YARN_NPM_MINIMAL_AGE_GATE: "0",
    YARN_NODE_LINKER: "node-modules",
    YARN_ENABLE_TELEMETRY: "false",
    // In CI, it refuses to write its first lock file.
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    DENO_NO_UPDATE_CHECK: "1",
  };
}

/** The commands of a reader who prefers other programs to npm and Node. */
export interface Habit {
  readonly name: string;
  /** Installs packages into a new folder. */
  install(...packages: readonly string[]): string;
  /** Runs a file. */
  readonly start: string;
  /** Prints the SQL of Postgres, once the package is installed. */
  readonly printSql: string;
}

const program = `${manifest.name} sql`;

export const npm = habit("npm", "npm install", `npx ${program}`);
export const pnpm = habit("pnpm", "pnpm add", `pnpm exec ${program}`);
export const yarn = habit("Yarn", "yarn init && yarn add", `yarn ${program}`);

/** Runtimes that install packages themselves. */
export const runtimeHabits: readonly Habit[] = [
  { ...habit("Bun", "bun add", `bun x ${program}`), start: "bun" },
  {
    ...habit("Deno", "deno add", `deno run --allow-all npm:${program}`),
    install: (...packages) => `deno add ${packages.map((name) => `npm:${name}`).join(" ")}`,
    start: "deno run --allow-net --allow-env",
  },
];

function habit(name: string, add: string, printSql: string): Habit {
  return { name, install: (...packages) => `${add} ${packages.join(" ")}`, start: "node", printSql };
}

/** Returns a page for npm and Node as a reader with this habit follows it. */
export function translate({ path, text }: Page, { install, start }: Habit): Page {
  const translated = text
    .replace(/^npm install (.+)$/m, (_, packages: string) => install(...packages.split(" ")))
    .replace(/^node /m, `${start} `);
  return { path, text: translated };
}
