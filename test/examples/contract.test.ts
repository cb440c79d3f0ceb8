import { describe } from "vitest";
import { startServer } from "../support/orders-server-process.js";
import { declareServerContract } from "./server-contract.js";

describe("the example server", () => declareServerContract(startServer));
