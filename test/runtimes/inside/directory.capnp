# Runs a program with Durable Objects and their directory, whose databases are on disk.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "computer", worker = .computer),
    (name = "disk", disk = (path = "state", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:3000", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [
    (className = "TestObject", uniqueKey = "test", enableSql = true),
    (className = "OldObject", uniqueKey = "old", enableSql = true),
    (className = "TestDirectory", uniqueKey = "directory", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "OBJECTS", durableObjectNamespace = "TestObject"),
    (name = "OLD_OBJECTS", durableObjectNamespace = "OldObject"),
    (name = "DIRECTORY", durableObjectNamespace = "TestDirectory"),
    (name = "COMPUTER", service = "computer"),
  ],
);

const computer :Workerd.Worker = (
  modules = [(
    name = "worker",
    esModule =
      `import { WorkerEntrypoint } from "cloudflare:workers";
      `export default class extends WorkerEntrypoint {
      `  square(number) { return number * number; }
      `}
  )],
  compatibilityDate = "2026-01-01",
);
