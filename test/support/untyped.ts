import * as main from "async-request-reply";
import * as bullmq from "async-request-reply/bullmq";
import * as client from "async-request-reply/client";
import * as express from "async-request-reply/express";
import * as fetch from "async-request-reply/fetch";
import * as lambda from "async-request-reply/lambda";
import * as nats from "async-request-reply/nats";
import * as node from "async-request-reply/node";
import * as openapi from "async-request-reply/openapi";
import * as opentelemetry from "async-request-reply/opentelemetry";
import * as ports from "async-request-reply/ports";
import * as postgres from "async-request-reply/postgres";
import * as rabbitmq from "async-request-reply/rabbitmq";
import * as webhooks from "async-request-reply/webhooks";
import * as yang from "async-request-reply/yang";
import { expect, it } from "vitest";
import { refusalOf, withSortedOptions } from "./refusal.js";

const brokers = { ...bullmq, ...nats, ...rabbitmq };
const all = {
  ...main,
  ...client,
  ...express,
  ...fetch,
  ...lambda,
  ...node,
  ...openapi,
  ...opentelemetry,
  ...ports,
  ...postgres,
  ...webhooks,
  ...yang,
  ...brokers,
};

/** The functions of the package as JavaScript sees them: they accept any arguments. */
export const untyped = all as unknown as Readonly<
  Record<keyof typeof all, (...args: readonly unknown[]) => unknown>
>;

/** A mistake, its error message, and a call that makes it. */
export type Mistake = readonly [mistake: string, message: string, make: () => unknown];

/** Declares a test for each mistake. */
export function testMistakes(mistakes: readonly Mistake[]): void {
  it.each(mistakes)("%s", (_, message, make) => {
    const { code, detail } = refusalOf(make);
    expect(code).toBe("INVALID_OPTION");
    expect(withSortedOptions(detail)).toBe(withSortedOptions(message));
  });
}
