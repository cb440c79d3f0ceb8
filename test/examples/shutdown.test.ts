import { describe } from "vitest";
import { startServer } from "../support/orders-server-process.js";
import { declareServerShutdown } from "./server-shutdown.js";

describe("the example server at SIGTERM", () => declareServerShutdown(startServer));
