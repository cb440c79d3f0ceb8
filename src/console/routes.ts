import { readRecentActions } from "./actions.js";
import type { Call, ConsoleContext } from "./context.js";
import {
  cancel,
  changePause,
  readFailures,
  readList,
  readOutput,
  readOverview,
  readPayload,
  redrive,
  redriveMany,
} from "./data.js";
import { readDetails } from "./details.js";
import type { Listener } from "./live.js";
import style from "./page/console.css?embedded";
import icon from "./page/icon.svg?embedded";
import page from "./page/index.html?embedded";
import script from "./page/main.ts?embedded";

import { readSeries } from "./series.js";

/** A file of the page. */
interface FileRoute {
  readonly mediaType: string;
  readonly text: string;
}

/** Data to read, or a change to make. */
export interface DataRoute {
  readonly method: "GET" | "POST";
  /** Whether callers that may only observe are refused. */
  readonly operates: boolean;
  run(context: ConsoleContext, call: Call): Promise<unknown>;
}

/** Events for as long as the caller listens. */
interface EventRoute {
  open(context: ConsoleContext, listener: Listener): AsyncIterable<Uint8Array>;
}

/** Target of a path: a file, data, or a place to go to instead. */
type Route = FileRoute | DataRoute | EventRoute | { readonly location: string };

/** Patterns of paths, after the path of the console, and what they lead to. */
const ROUTES: readonly (readonly [pattern: string, route: FileRoute | DataRoute | EventRoute])[] = [
  ["/", { mediaType: "text/html; charset=utf-8", text: page }],
  ["/console.css", { mediaType: "text/css; charset=utf-8", text: style }],
  ["/console.js", { mediaType: "text/javascript; charset=utf-8", text: script }],
  ["/icon.svg", { mediaType: "image/svg+xml", text: icon }],
  ["/api/overview", reading(readOverview)],
  ["/api/events", { open: ({ live }, listener) => live.open(listener) }],
  ["/api/series", reading(readSeries)],
  ["/api/actions", reading(readRecentActions)],
  ["/api/operations", reading(readList)],
  ["/api/failures", reading(readFailures)],
  ["/api/operations/{id}", reading(readDetails)],
  ["/api/operations/{id}/payload", { ...reading(readPayload), operates: true }],
  ["/api/operations/{id}/output", { ...reading(readOutput), operates: true }],
  ["/api/operations/{id}/cancel", changing(cancel)],
  ["/api/operations/{id}/redrive", changing(redrive)],
  ["/api/redrives", changing(redriveMany)],
  ["/api/pauses", changing(changePause)],
];

const TAILS = ROUTES.map(([pattern, route]) => {
  const source = pattern.replaceAll(".", "\\.").replace("{id}", "([^/]+)");
  return { pattern, route, tail: new RegExp(`${source}$`) };
});

/** The route of a path. */
interface Found {
  readonly route: Route;
  /** Id of the operation in the path, or an empty string. */
  readonly operationId: string;
  /** Pattern of the path. Absent if the path leads to another one. */
  readonly pattern?: string;
}

/**
 * Finds what a path leads to by its end, so that the console works under any base path. A path without a slash at its
 * end leads to the same path with one, because the URLs of the page are relative to it.
 */
export function findRoute(path: string): Found | undefined {
  for (const { pattern, route, tail } of TAILS) {
    const match = tail.exec(path);
    if (match !== null) return { route, operationId: match[1] ?? "", pattern };
  }
  const [, last] = /\/([^/.]+)$/.exec(path) ?? [];
  if (last === undefined || path.includes("/api/")) return undefined;
  return { route: { location: `./${last}/` }, operationId: "" };
}

function reading(run: DataRoute["run"]): DataRoute {
  return { method: "GET", operates: false, run };
}

function changing(run: DataRoute["run"]): DataRoute {
  return { method: "POST", operates: true, run };
}
