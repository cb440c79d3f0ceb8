import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifest, root, run } from "../support/built.js";
import { freePort } from "../support/free-port.js";

/** A registry of npm packages on this machine. It gets all packages but ours from the registry that npm uses otherwise. */
export interface Registry {
  readonly url: string;
  /** Allows to publish. */
  readonly token: string;
  close(): Promise<void>;
}

const program = join(import.meta.dirname, "node_modules/verdaccio/bin/verdaccio");

/** Opens a registry without our package. It has no use for the network until another package is installed. */
export async function openRegistry(): Promise<Registry> {
  if (!existsSync(program))
    throw new Error("Verdaccio is not installed. Run `npm ci --prefix test/registry`.");
  const folder = mkdtempSync(join(tmpdir(), "registry-"));
  const address = `127.0.0.1:${await freePort()}`;
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(configuration()));
  const server = fork(program, ["--config", "config.yaml", "--listen", address], {
    cwd: folder,
    // It warns of root, and of versions of Node that we support.
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const close = async (): Promise<void> => {
    await kill(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await started(server);
    return { url: `http://${address}/`, token: await register(`http://${address}`), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a registry and publishes the build, without building it again. */
export async function openRegistryWithBuild(): Promise<Registry> {
  const registry = await openRegistry();
  try {
    const options = ["--ignore-scripts", `--registry=${registry.url}`, `--${tokenSetting(registry)}`];
    run("npm", ["publish", ...options], root);
    return registry;
  } catch (error) {
    await registry.close();
    throw error;
  }
}

/** The setting with which npm sends the token to this registry. */
export function tokenSetting({ url, token }: Registry): string {
  return `${url.slice("http:".length)}:_authToken=${token}`;
}

/** Paths are relative to the folder of the configuration. */
function configuration(): object {
  const upstream = run("npm", ["config", "get", "registry"], root).trim();
  return {
    storage: "storage",
    auth: { htpasswd: { file: "htpasswd" } },
    // A failed request must not make the registry refuse others for minutes.
    uplinks: { upstream: { url: upstream, timeout: "60s", max_fails: 1_000, maxage: "1h" } },
    packages: {
      [manifest.name]: { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" },
    },
    web: { enable: false },
    log: { type: "stdout", level: "fatal" },
  };
}

async function started(server: ChildProcess): Promise<void> {
  const ended = once(server, "exit").then(([code]) => {
    throw new Error(`Verdaccio ended with ${code}`);
  });
  // Its only message.
  await Promise.race([once(server, "message"), ended]);
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGKILL");
  await ended;
}

async function register(url: string): Promise<string> {
  const name = "publisher";
  const reply = await fetch(`${url}/-/user/org.couchdb.user:${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password: "only for this run" }),
  });
  const { token } = (await reply.json()) as { readonly token: string };
  return token;
}
