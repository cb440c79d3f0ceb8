/** The objects of a namespace, as workerd passes them. */
interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** A Worker that forwards each request to an object. */
interface ObjectsWorker {
  fetch(request: Request, bindings: { readonly OBJECTS: Namespace }): Promise<Response>;
}

/** Creates a Worker that forwards each request to the object with the name that `nameOf` returns. */
export function toObjects(nameOf: (url: URL) => string): ObjectsWorker {
  return {
    fetch: (request, { OBJECTS }) =>
      OBJECTS.get(OBJECTS.idFromName(nameOf(new URL(request.url)))).fetch(request),
  };
}
