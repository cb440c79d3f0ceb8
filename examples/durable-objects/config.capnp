# Runs the example on workerd, the open-source runtime of Cloudflare Workers, without Wrangler:
#
#     npx esbuild worker.ts console.ts --bundle --format=esm --platform=neutral --conditions=workerd,worker,browser \
#       --outdir=dist
#     mkdir -p state
#     npx workerd serve config.capnp
#
# The console is on port 3001.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "console", worker = .console),
    (name = "disk", disk = (path = "state", writable = true)),
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:3000", http = (), service = "main"),
    (name = "console", address = "127.0.0.1:3001", http = (), service = "console"),
  ],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-04-01",
  durableObjectNamespaces = [
    (className = "Operations", uniqueKey = "operations", enableSql = true),
    (className = "Directory", uniqueKey = "directory", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "OPERATIONS", durableObjectNamespace = "Operations"),
    (name = "DIRECTORY", durableObjectNamespace = "Directory"),
  ],
);

const console :Workerd.Worker = (
  modules = [(name = "console", esModule = embed "dist/console.js")],
  compatibilityDate = "2026-04-01",
  bindings = [
    (name = "OPERATIONS", durableObjectNamespace = (className = "Operations", serviceName = "main")),
    (name = "DIRECTORY", durableObjectNamespace = (className = "Directory", serviceName = "main")),
  ],
);
