/** The same application on Fastify. `operations.ts` is the plugin in docs/frameworks.md, Fastify. */
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { AppModule } from "./app.module.js";
import { operations } from "./operations.js";
import { ORDERS, type OrderService } from "./orders.module.js";

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter());
app.enableShutdownHooks();
// After CORS and your plugins.
await app.register(operations, { service: app.get<OrderService>(ORDERS) });
await app.listen(3000);
