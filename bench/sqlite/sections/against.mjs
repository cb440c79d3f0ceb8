import { againstOnStore } from "../../against/on-store.mjs";
import { onSqlite, overHttp } from "../variants.mjs";

/** This build and another one on SQLite. */
export const against = againstOnStore({ variant: onSqlite, handled: overHttp });
