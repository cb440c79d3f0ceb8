/** The port with some of its methods replaced; the others stay bound to it. */
export function replacing<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = methods[name as keyof Port] ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
