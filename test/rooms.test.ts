import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, it } from "vitest";

/** Each room of `src` with the rooms that it may import. Imports go downward only. */
const ROOMS: Readonly<Record<string, string>> = {
  contract: "",
  formats: "contract",
  ports: "contract",
  platform: "contract ports",
  telemetry: "contract ports platform",
  batching: "contract ports platform",
  observing: "contract ports platform",
  protocol: "contract ports platform batching",
  operations: "contract formats ports platform batching protocol telemetry",
  http: "contract formats ports platform observing protocol operations telemetry",
  service: "contract formats ports platform observing protocol operations telemetry http backends/memory",
  client: "contract",
  worker: "contract ports platform observing protocol operations telemetry",
  operator: "contract ports platform observing protocol operations",
  console: "contract http observing operations operator ports platform protocol",
  openapi: "contract formats ports platform http service",
  opentelemetry: "contract ports platform http operator protocol service telemetry",
  cli: "contract platform ports http operator console adapters/node backends/postgres backends/sqlite",
  adapters: "contract http ports platform protocol service",
  "durable-objects":
    "contract formats ports platform protocol http service worker operator adapters/fetch backends/durable-objects backends/memory backends/shared backends/sqlite",
  "adapters/express": "adapters/node",
  engine: "contract ports platform",
  backends: "contract ports platform batching engine",
  "backends/durable-objects": "backends/shared backends/sqlite",
  "backends/memory": "backends/shared",
  "backends/postgres": "backends/shared",
  "backends/sqlite": "backends/shared",
  brokers: "contract ports platform observing protocol",
  "brokers/bullmq": "brokers/shared backends/shared",
  "brokers/nats": "brokers/shared",
  "brokers/rabbitmq": "brokers/shared",
  "formats/yang": "formats/xml",
  webhooks: "contract ports platform protocol telemetry",
  testing: "contract formats ports platform protocol operations http service worker operator webhooks",
};

/** Rooms whose folders must not import each other. */
const SEPARATE = ["adapters", "backends", "brokers", "formats"];

const src = join(import.meta.dirname, "../src");

function roomOf(file: string): { readonly room: string; readonly folder: string } {
  const [room = "", folder = "", ...rest] = file.split("/");
  return { room, folder: rest.length > 0 && SEPARATE.includes(room) ? `${room}/${folder}` : room };
}

function isAllowed(from: string, to: string): boolean {
  const [own, target] = [roomOf(from), roomOf(to)];
  const named = [own.room, own.folder].flatMap((name) => ROOMS[name]?.split(" ") ?? []);
  if (named.includes(target.folder) || named.includes(target.room)) return true;
  return own.room === target.room && (own.folder === target.folder || target.folder === target.room);
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(/(?:from|import) "(\.[^"]+)"/g)].map(([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((file) => relative(src, join(src, file)))
  .filter((file) => file.endsWith(".ts") && file.includes("/"));

it("lets every room of src import only the rooms below it", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !isAllowed(file, target))
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

it("covers every room of src", () => {
  expect([...new Set(files.map((file) => roomOf(file).room))].filter((room) => !(room in ROOMS))).toEqual([]);
});

it("has no circle of imports, types included", () => {
  const done = new Set<string>();
  const circles = files.flatMap((file) => circlesFrom(file, [], done));
  expect(circles).toEqual([]);
});

/** Returns the circles of imports that can be reached from a file, each as the files along it. */
function circlesFrom(file: string, path: readonly string[], done: Set<string>): string[] {
  if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(" imports ")];
  if (done.has(file) || !files.includes(file)) return [];
  done.add(file);
  return importsOf(file).flatMap((target) =>
    circlesFrom(target.replace(/\.js$/, ".ts"), [...path, file], done),
  );
}

it("describes every room in src/README.md", () => {
  const described = [...readFileSync(join(src, "README.md"), "utf8").matchAll(/^\| `([\w-]+)` \|/gm)].map(
    ([, room]) => room,
  );
  const rooms = Object.keys(ROOMS).filter((room) => !room.includes("/"));
  expect(described.sort()).toEqual(rooms.sort());
});
