/** Something that many callers wait for. They share everything that one of them makes of it. */
export interface Shared {
  /** Returns what `create` returned for this key the first time. One key always stands for one type. */
  once<Made>(key: object, create: () => Made): Made;
}

/** Creates the method of a shared object. It keeps everything that it makes. */
export function createOnce(): Shared["once"] {
  let made: Map<object, unknown> | undefined;
  return <Made>(key: object, create: () => Made) => {
    made ??= new Map();
    if (!made.has(key)) made.set(key, create());
    return made.get(key) as Made;
  };
}
