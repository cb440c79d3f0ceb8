import { toExpressHandler } from "async-request-reply/express";
import express5 from "express";
import express4 from "express4";
import type { ToListener } from "./node-harness.js";

/** The versions of Express that the adapter is for, each as an application that has nothing but a service. */
export const expressVersions: readonly { readonly version: string; readonly toListener: ToListener }[] = [
  {
    version: "5",
    toListener: (service) => express5().disable("x-powered-by").use(toExpressHandler(service)),
  },
  {
    version: "4",
    toListener: (service) => express4().disable("x-powered-by").use(toExpressHandler(service)),
  },
];
