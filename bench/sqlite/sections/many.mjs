import { manyOf } from "../../postgres/sections/many.mjs";
import { onSqlite } from "../variants.mjs";

/** G18 on SQLite. */
export const many = manyOf(onSqlite);
