import { againstOnStore } from "../../against/on-store.mjs";
import { product, productOverHttp } from "../variants.mjs";

/** This build and another one on Postgres. */
export const against = againstOnStore({
  variant: { ...product, name: "Postgres" },
  handled: productOverHttp,
});
