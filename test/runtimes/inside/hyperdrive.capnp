# Runs a Worker that reaches Postgres through a Hyperdrive binding. A test writes settings.capnp.
using Workerd = import "/workerd/workerd.capnp";
using Settings = import "settings.capnp";

const config :Workerd.Config = (
  services = [
    (name = "orders", worker = .worker),
    (name = "postgres", external = (address = Settings.address, tcp = ())),
  ],
  sockets = [
    (
      name = "http",
      address = "127.0.0.1:3000",
      http = (),
      service = (name = "orders", entrypoint = "platform"),
    ),
  ],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-01-01",
  # `pg` needs the first one. With the other one, a binding has the methods `scheduled` and `queue`.
  compatibilityFlags = ["nodejs_compat", "service_binding_extra_handlers"],
  bindings = [
    (
      name = "HYPERDRIVE",
      hyperdrive = (
        designator = "postgres",
        database = Settings.database,
        user = Settings.user,
        password = Settings.password,
        scheme = "postgresql",
      ),
    ),
    (name = "ORDERS", service = "orders"),
    (name = "SCHEMA", text = Settings.schema),
    (name = "WORKS_AFTER_REPLY", json = Settings.worksAfterReply),
  ],
);
