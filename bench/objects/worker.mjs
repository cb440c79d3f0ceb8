import { createOperationsObject, routeToTenant } from "../../dist/durable-objects.js";
import { authorize, definitions, processors } from "./definition.mjs";

export class Operations {
  #operations;

  constructor(state) {
    this.#operations = createOperationsObject(state, {
      definitions,
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

export default {
  fetch: routeToTenant({
    definitions,
    authorize,
    objects: ({ OPERATIONS }) => OPERATIONS,
    observe: false,
  }),
};
