/** A module that owns the order service and its worker. The processor uses a provider. */
import { Inject, Injectable, Module } from "@nestjs/common";
import { bearer, createService, createWorker, defineOrders, type Order, type Service } from "async-request-reply";
import { Tokens } from "./token.guard.js";

export const ORDERS = Symbol("orders");
export const orders = defineOrders();
export type OrderService = Service<readonly [typeof orders]>;

@Injectable()
class Warehouse {
  async ship({ itemId, quantity }: Order) {
    return { shipped: quantity, itemId };
  }
}

const createOrders = (tokens: Tokens) =>
  createService({ definitions: [orders], authorize: bearer((token) => tokens.verify(token)) });

@Module({
  providers: [Tokens, Warehouse, { provide: ORDERS, useFactory: createOrders, inject: [Tokens] }],
  exports: [Tokens, ORDERS],
})
export class OrdersModule {
  readonly #service: OrderService;
  readonly #worker;

  constructor(@Inject(ORDERS) service: OrderService, warehouse: Warehouse) {
    this.#service = service;
    this.#worker = createWorker(service, { orders: (order) => warehouse.ship(order) });
  }

  onApplicationBootstrap() {
    return this.#worker.start();
  }

  beforeApplicationShutdown() {
    return this.#service.close();
  }
}
