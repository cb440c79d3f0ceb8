import { type Addition, FILE_VERSIONS } from "../../sqlite/schema/versions.js";
import oneTenant from "./one-tenant.sql";

/** Number of versions of a database file to which objects add their own. */
const COMMON = 2;

/**
 * Number of versions of a database file that objects leave out: they keep no minutes, because each row that is written costs, and no
 * actions, because those of all objects are in their directory.
 */
const LEFT_OUT = 1;

/** The versions of the database of an object, in order. Those that files get later come after its own. */
export const OBJECT_VERSIONS: readonly Addition[] = [
  ...FILE_VERSIONS.slice(0, COMMON),
  { text: oneTenant, needs: COMMON + 1 },
  ...FILE_VERSIONS.slice(COMMON + LEFT_OUT),
];
