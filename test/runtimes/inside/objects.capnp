# Runs a program with Durable Objects, whose databases are on disk.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "state", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:3000", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-01-01",
  # The simulator waits for `setImmediate`.
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "TestObject", uniqueKey = "test", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  # Requests of objects lead back to the Worker.
  globalOutbound = "main",
  bindings = [(name = "OBJECTS", durableObjectNamespace = "TestObject")],
);
