/** Returns a built-in module of Node.js, Bun or Deno. Other runtimes have none, so a static import would fail there. */
export function builtinModule<Module>(name: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return process?.getBuiltinModule?.(name) as Module | undefined;
}
