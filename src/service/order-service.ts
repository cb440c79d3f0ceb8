import {
  defineOrders,
  ORDER_OPTIONS,
  type Order,
  type OrderDefinition,
  type OrderOptions,
} from "../contract/definition/order.js";
import { isPlain } from "../contract/json/json-text.js";
import { checkFunction } from "../contract/option-values.js";
import { checkOptions } from "../contract/options.js";
import type { CreatedResource, CreateResource } from "../ports/create.js";
import { createService, SERVICE_OPTIONS, type ServiceOptions } from "./create-service.js";
import type { ServiceFor, WithHook } from "./service.js";

/** Options of {@link createOrderService}. All are optional, but `authorize` is required for HTTP. */
export interface OrderServiceOptions<Tx = unknown>
  extends Omit<ServiceOptions<readonly [OrderDefinition], Tx>, "definitions" | "create">,
    OrderOptions {
  /**
   * Creates the order before the reply. The reply is then a 201 whose body has the `status` `pending`. Default: none.
   */
  readonly create?: CreateResource<Order, NoInfer<Tx>>;
}

/**
 * Creates the order submission service of the specification, with `POST /orders` and `GET /operations/<id>`.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createOrderService<Tx = never, Hook = unknown>(
  options: OrderServiceOptions<Tx> & WithHook<Hook>,
): ServiceFor<readonly [OrderDefinition], Tx, Hook> {
  const { definitions: _, ...known } = SERVICE_OPTIONS;
  checkOptions(options, { ...known, ...ORDER_OPTIONS }, "createOrderService");
  const { create, ...others } = options;
  checkFunction("create", create, { optional: true });
  const isOfOrders = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(ORDER_OPTIONS, name);
  const given = Object.entries(others);
  const definitions = [defineOrders(Object.fromEntries(given.filter(isOfOrders)) as OrderOptions)] as const;
  const rest = Object.fromEntries(given.filter((entry) => !isOfOrders(entry))) as Pick<
    typeof options,
    "authorize"
  >;
  const creators = create === undefined ? {} : { create: { orders: withPendingStatus(create) } };
  return createService<readonly [OrderDefinition], Tx, "orders", Hook>({ ...rest, definitions, ...creators });
}

function withPendingStatus<Tx>(create: CreateResource<Order, Tx>): CreateResource<Order, Tx> {
  return async (order, context) => {
    const created = await create(order, context);
    const body = toPlain(created.body);
    return { ...created, body: isPlain(body) ? { ...body, status: "pending" } : body };
  };
}

/** Calls `toJSON` before the body is spread: a spread would expose members that the method leaves out. */
function toPlain(body: CreatedResource["body"]): CreatedResource["body"] {
  return typeof body.toJSON === "function" ? body.toJSON("body") : body;
}
