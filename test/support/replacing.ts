/** Returns the port with some methods replaced. All other methods stay bound to the port. */
export function replacing<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = methods[name as keyof Port] ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
