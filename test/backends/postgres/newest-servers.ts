export { startNewest as setup } from "./worker-servers.js";
