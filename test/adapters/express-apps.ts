import type { RequestListener } from "node:http";
import { toExpressHandler } from "async-request-reply/express";
import express5 from "express";
import express4 from "express4";
import { type ToListener, theApplication } from "./node-harness.js";

/** What the versions of Express have in common, as far as tests use it. */
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

/** The versions of Express that the adapter is for, each with an application that has nothing but a service. */
export const expressVersions: readonly {
  readonly version: string;
  readonly express: Express;
  readonly toListener: ToListener;
}[] = [
  { version: "5", express: express5, toListener: toApp(express5) },
  { version: "4", express: express4, toListener: toApp(express4) },
];

/** An application that has nothing but a service, and where it falls through something that tells so. */
function toApp(express: Express): ToListener {
  return (service, options) => {
    const handler = toExpressHandler(service, options);
    return options === undefined ? appWith(express, handler) : appWith(express, handler, theApplication);
  };
}

/** An application that uses these, one after the other. */
export function appWith(express: Express, ...handlers: readonly unknown[]): App {
  const app = express();
  app.disable("x-powered-by");
  for (const handler of handlers) app.use(handler);
  return app;
}
