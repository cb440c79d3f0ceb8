export { createManualClock, type ManualClock } from "./manual-clock.js";
export {
  type CreateBackend,
  type History,
  SimulationFailure,
  type SimulationOptions,
  simulate,
} from "./simulator/simulate.js";
