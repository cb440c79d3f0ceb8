/** A NestJS application on Express that serves the orders of the module. */
import { NestFactory } from "@nestjs/core";
import { toNodeHandler } from "async-request-reply/node";
import { AppModule } from "./app.module.js";
import { ORDERS } from "./orders.module.js";

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
// After CORS and your middleware. Nest adds its body parsers later.
app.use(toNodeHandler(app.get(ORDERS), { fallthrough: true }));
await app.listen(3000);
