import { createDirectoryObject, type DirectoryState } from "async-request-reply/durable-objects";

/** Knows the objects of all tenants. */
export class Directory {
  readonly #directory;

  constructor(state: DirectoryState) {
    this.#directory = createDirectoryObject(state);
  }

  fetch(request: Request): Promise<Response> {
    return this.#directory.fetch(request);
  }
}
