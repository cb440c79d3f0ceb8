import { describe } from "vitest";
import { declareServerContract } from "./server-contract.js";
import { startServer } from "./server-process.js";

describe("the example server", { timeout: 30_000 }, () => declareServerContract(startServer));
