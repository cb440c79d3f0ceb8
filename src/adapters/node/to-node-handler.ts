import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service } from "../../http/context.js";
import { toHttpRequest } from "./read-request.js";
import { writeResponse } from "./write-response.js";

/** What `http.createServer` takes. Answers every request and throws for none. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Mounts a service on `http.createServer`, or on anything with its call shape. Translates only: every status is chosen by
 * the service. Mount it before anything that reads the body.
 */
export function toNodeHandler(service: Pick<Service, "handle" | "settings">): NodeHandler {
  const { maxBodyBytes } = service.settings;
  return (req, res) => {
    service
      .handle(toHttpRequest(req))
      .then((response) => writeResponse(req, res, response, maxBodyBytes))
      // Neither throws for a reply; what is none must not end the process.
      .catch(() => res.destroy());
  };
}
