import type { Observer, Service } from "async-request-reply";
import { basic, createConsole } from "async-request-reply/console";
import { type NodeHandler, toNodeHandler } from "async-request-reply/node";
import { createOperator } from "async-request-reply/operator";
import type { ConsoleLogin } from "./configuration.js";

const PATH = "/console";

interface Mounted {
  /** Answers requests to the console, and passes all others to the service. */
  readonly handler: NodeHandler;
  /** Returns a sentence that says where the console is and how to log in. Absent without a console. */
  readonly loginAt?: (url: string) => string;
  /** Ends the streams of open pages, which would keep the server open. */
  readonly close?: () => Promise<void>;
}

/** Mounts the console next to the service. Browsers ask for the token as a password (HTTP Basic). */
export function mountConsole(login: ConsoleLogin | undefined, service: Service, observe: Observer): Mounted {
  const toService = toNodeHandler(service);
  if (login === undefined) return { handler: toService };
  const { backend, definitions } = service;
  const operator = createOperator({ backend, definitions, observe });
  const authorize = basic({ [login.token]: "operate" });
  const page = createConsole({ operator, authorize, observe });
  const toConsole = toNodeHandler(page);
  return {
    handler: (req, res) => (isConsole(req.url) ? toConsole : toService)(req, res),
    loginAt: (url) => {
      const password = login.generated ? login.token : "the value of CONSOLE_TOKEN";
      return `console on ${url}${PATH} (user: any name, password: ${password})`;
    },
    close: page.close,
  };
}

function isConsole(url = ""): boolean {
  return url === PATH || url.startsWith(`${PATH}/`) || url.startsWith(`${PATH}?`);
}
