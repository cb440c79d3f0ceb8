import { describe } from "vitest";
import { startServer } from "../support/orders-server-process.js";
import { declareShutdownGrace } from "./server-shutdown.js";

describe("the example server at SIGTERM", () => declareShutdownGrace(startServer));
