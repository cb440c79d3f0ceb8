export { type ExpressHandler, type ExpressRequest, toExpressHandler } from "./to-express-handler.js";
