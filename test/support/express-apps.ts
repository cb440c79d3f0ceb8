import type { RequestListener } from "node:http";
import { toExpressHandler } from "async-request-reply/express";
import express5 from "express";
import express4 from "express4";
import { applicationHandler, type ToListener } from "./node-harness.js";

/** The part of Express that the tests use and all versions share. */
export interface Express {
  (): App;
  Router(): Router;
  json(options?: object): unknown;
  raw(options?: object): unknown;
  text(options?: object): unknown;
  urlencoded(options?: object): unknown;
}

interface Router {
  use(...handlers: readonly unknown[]): unknown;
}

export interface App extends Router, RequestListener {
  disable(setting: string): unknown;
}

/** The supported versions of Express, each with a function that mounts a service in an empty application. */
export const expressVersions: readonly {
  readonly version: string;
  readonly express: Express;
  readonly toListener: ToListener;
}[] = [
  { version: "5", express: express5, toListener: toApp(express5) },
  { version: "4", express: express4, toListener: toApp(express4) },
];

/** Mounts a service in an empty application. With options, `applicationHandler` answers what falls through. */
function toApp(express: Express): ToListener {
  return (service, options) => {
    const handler = toExpressHandler(service, options);
    return options === undefined ? appWith(express, handler) : appWith(express, handler, applicationHandler);
  };
}

/** Creates an application that runs these handlers in order. */
export function appWith(express: Express, ...handlers: readonly unknown[]): App {
  const app = express();
  app.disable("x-powered-by");
  for (const handler of handlers) app.use(handler);
  return app;
}
