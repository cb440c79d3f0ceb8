/** A message that `amqplib` delivers or returns. Each member is part of `Message` there. */
export interface AmqpMessage {
  /** Body of the message. */
  readonly content: Uint8Array;
  /** Properties of the message. `messageId` is the id of the announcement. */
  readonly properties: { readonly messageId?: unknown };
}

/** Properties of a published message, as `amqplib` takes them. */
export interface AmqpPublishOptions {
  /** Whether the broker writes the message to the disk. */
  readonly persistent: boolean;
  /** Whether the broker returns the message if no queue takes it. */
  readonly mandatory: boolean;
  /** Id of the announcement. */
  readonly messageId: string;
  /** Id of the operation. */
  readonly correlationId: string;
  /** Media type of the body. */
  readonly contentType: string;
  /** Kind of message. */
  readonly type: string;
  /** Trace context of the operation, if it is known. */
  readonly headers?: Record<string, string>;
}

/** The methods of a channel of `amqplib` that the queue calls. */
export interface AmqpChannel {
  /** Creates a queue, or checks that it exists with these options. */
  assertQueue(
    queue: string,
    options: { durable: boolean; arguments: Record<string, string> },
  ): Promise<unknown>;
  /** Checks that a queue exists, and counts the messages that no consumer has. */
  checkQueue(queue: string): Promise<{ readonly messageCount: number }>;
  /** Limits the unacknowledged messages of each later consumer. */
  prefetch(count: number): Promise<unknown>;
  /** Starts a consumer. `null` means that the broker has ended it. */
  consume(
    queue: string,
    onMessage: (message: AmqpMessage | null) => void,
  ): Promise<{ readonly consumerTag: string }>;
  /** Ends a consumer. */
  cancel(consumerTag: string): Promise<unknown>;
  /** Takes one message. Resolves to `false` if no message waits. */
  get(queue: string): Promise<AmqpMessage | false>;
  /** Acknowledges a message. */
  ack(message: AmqpMessage): void;
  /** Gives a message back. */
  nack(message: AmqpMessage, allUpTo: boolean, requeue: boolean): void;
  /** Calls `listener` when the channel is closed. */
  on(event: "close", listener: () => void): unknown;
  /** Calls `listener` when the broker closes the channel because of a mistake. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Calls `listener` when the broker returns a message that no queue takes. */
  on(event: "return", listener: (message: AmqpMessage) => void): unknown;
  /** Closes the channel. */
  close(): Promise<void>;
}

/** A channel of `amqplib` that confirms published messages. */
export interface AmqpConfirmChannel extends AmqpChannel {
  /** Publishes a message to a queue and calls back when the broker has confirmed or refused it. */
  sendToQueue(
    queue: string,
    content: Uint8Array,
    options: AmqpPublishOptions,
    callback: (error: unknown) => void,
  ): boolean;
}

/**
 * Connection of `amqplib` 2. Create it with `connect(url, { recovery: true })`, so that it connects again when it is
 * lost.
 */
export interface AmqpConnection {
  /** Opens a channel. */
  createChannel(): Promise<AmqpChannel>;
  /** Opens a channel that confirms published messages. */
  createConfirmChannel(): Promise<AmqpConfirmChannel>;
}
