import * as z from "zod";

/** The schemas of work with output. Here, because the folder of a benchmark declares only its peers. */
export const input = z.strictObject({});
export const chunk = z.string();
