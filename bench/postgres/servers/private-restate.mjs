import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { freePort, startProgram, temporaryFolder } from "./private-server.mjs";

/** Starts a server of Restate for this benchmark, with its defaults. Its log is on disk when it answers. */
export async function startRestate() {
  const [node, ingress, admin] = await Promise.all([freePort(), freePort(), freePort()]);
  const { folder, remove } = temporaryFolder(tmpdir(), "bench-restate-");
  const server = await startProgram(programOf(), ["--no-logo", "--listen-mode", "tcp"], {
    ready: "became Leader",
    env: {
      ...process.env,
      RESTATE_BASE_DIR: folder,
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
    },
  });
  return {
    pid: server.pid,
    urls: { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` },
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}

function programOf() {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return createRequire(import.meta.url).resolve(`${name}/bin/restate-server`);
}
