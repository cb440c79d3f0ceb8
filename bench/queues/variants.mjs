const brokers = [
  { name: "RabbitMQ", broker: "rabbitmq", needs: "rabbitmq" },
  { name: "NATS", broker: "nats", needs: "nats" },
  { name: "BullMQ", broker: "bullmq", needs: "redis" },
];

const pairs = brokers.flatMap((broker) => [
  { ...broker, module: "product" },
  { ...broker, name: `${broker.name} by hand`, module: "by-hand" },
]);

/** The variants to compare: `module` is a file in `variants`, `broker` one in `brokers`, and `needs` the server of the broker. */
export const variants = [
  { name: "Postgres", module: "product" },
  { name: "Postgres by hand", module: "by-hand-postgres" },
  ...pairs,
];
