import { createRequire } from "node:module";

const require = createRequire(new URL("package.json", import.meta.url));

/** Loads a client library of `npm ci --prefix test/brokers`, so that the other tests need none of them. */
export function loadLibrary<Library>(name: string): Library {
  return require(name) as Library;
}
