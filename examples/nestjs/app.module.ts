/** A controller behind the guard. It submits an order for the user, who reads the operation over HTTP. */
import { Controller, HttpCode, Inject, Module, Param, Post, Req, UseGuards } from "@nestjs/common";
import { ORDERS, OrdersModule, orders, type OrderService } from "./orders.module.js";
import { TokenGuard } from "./token.guard.js";

@Controller("carts")
@UseGuards(TokenGuard)
class CartsController {
  constructor(@Inject(ORDERS) private readonly service: OrderService) {}

  @Post(":item/checkout")
  @HttpCode(202)
  async checkout(@Param("item") itemId: string, @Req() { user }: { readonly user: { readonly id: string } }) {
    const options = { tenant: user.id, key: `checkout ${itemId}` };
    const { operationId } = await this.service.submit(orders, { itemId, quantity: 1 }, options);
    return { operationId, location: `/operations/${operationId}` };
  }
}

@Module({ imports: [OrdersModule], controllers: [CartsController] })
export class AppModule {}
