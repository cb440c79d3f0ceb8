# Runs the example on workerd, the open-source runtime of Cloudflare Workers, without Wrangler:
#
#     npx esbuild worker.ts --bundle --format=esm --platform=neutral --conditions=workerd,worker,browser \
#       --outfile=dist/worker.js
#     mkdir -p state
#     npx workerd serve config.capnp
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
  compatibilityDate = "2026-04-01",
  durableObjectNamespaces = [(className = "Operations", uniqueKey = "operations", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "OPERATIONS", durableObjectNamespace = "Operations")],
);
