/** A message that JetStream delivers. Each member is part of `JsMsg` of `@nats-io/jetstream`. */
export interface JetStreamMessage {
  /** Body of the message. */
  readonly data: Uint8Array;
  /** Acknowledges the message. */
  ack(): void;
}

/** The messages of one request, as they arrive. Ends when the request has expired or has all its messages. */
export interface JetStreamMessages extends AsyncIterable<JetStreamMessage> {
  /** Ends the request. */
  close(): Promise<unknown>;
}

/** A durable pull consumer. */
export interface JetStreamConsumer {
  /** Requests messages. Durations in milliseconds. */
  fetch(options: {
    max_messages?: number;
    expires?: number;
    idle_heartbeat?: number;
  }): Promise<JetStreamMessages>;
}

/** Configuration of the stream. */
export interface JetStreamStreamConfig {
  /** Name of the stream. */
  name: string;
  /** Subjects that the stream stores. */
  subjects?: string[];
  /** When messages are deleted: `workqueue` deletes them when they are acknowledged. */
  retention?: string;
  /** Storage of the messages: `file` or `memory`. */
  storage?: string;
  /** Time after which a message is deleted. Nanoseconds. */
  max_age?: number;
  /** Number of servers that store each message. */
  num_replicas?: number;
}

/** Configuration of a consumer. */
export interface JetStreamConsumerConfig {
  /** Name of the consumer. */
  durable_name?: string;
  /** Subject whose messages the consumer receives. */
  filter_subject?: string;
  /** Which messages must be acknowledged. */
  ack_policy?: string;
  /** Time after which a message without an acknowledgment is delivered again. Nanoseconds. */
  ack_wait?: number;
  /** Maximum number of messages without an acknowledgment. */
  max_ack_pending?: number;
}

/** Creates streams and consumers. */
export interface JetStreamManager {
  /** Streams of the account. */
  readonly streams: {
    /** Throws if the stream does not exist. */
    info(stream: string): Promise<unknown>;
    /** Creates a stream. */
    add(config: JetStreamStreamConfig): Promise<unknown>;
  };
  /** Consumers of the account. */
  readonly consumers: {
    /** Creates a consumer. */
    add(stream: string, config: JetStreamConsumerConfig): Promise<unknown>;
  };
}

/** Header fields of a message, as the function `headers` of `@nats-io/transport-node` creates them. */
export interface NatsHeaders {
  /** Sets a field. */
  set(name: string, value: string): void;
}

/** The result of `jetstream(connection)` of `@nats-io/jetstream` 3. */
export interface JetStream {
  /** Publishes a message. Resolves when the stream has stored it. */
  publish(
    subject: string,
    body: string,
    options: { timeout?: number; headers?: NatsHeaders | undefined },
  ): Promise<unknown>;
  /** Returns the manager. With `false`, does not ask the server. */
  jetstreamManager(checkAPI?: boolean): Promise<JetStreamManager>;
  /** Consumers of a stream. */
  readonly consumers: {
    /** Returns a consumer. Throws if it does not exist. */
    get(stream: string, name: string): Promise<JetStreamConsumer>;
  };
}
