import { createDirectoryObject, createOperationsObject, routeToTenant } from "../../dist/durable-objects.js";
import { authorize, definitions, processors } from "./definition.mjs";

export class Operations {
  #operations;

  constructor(state, { DIRECTORY }) {
    this.#operations = createOperationsObject(state, {
      definitions,
      directory: DIRECTORY,
      processors,
      service: { observe: false },
    });
  }

  fetch(request) {
    return this.#operations.fetch(request);
  }

  alarm() {
    return this.#operations.alarm();
  }
}

export class Directory {
  #directory;

  constructor(state) {
    this.#directory = createDirectoryObject(state);
  }

  fetch(request) {
    return this.#directory.fetch(request);
  }
}

export default {
  fetch: routeToTenant({
    definitions,
    authorize,
    objects: ({ OPERATIONS }) => OPERATIONS,
    observe: false,
  }),
};
