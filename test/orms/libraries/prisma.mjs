import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "../generated/prisma/client.js";
import { openPool } from "./open-pool.mjs";

export const library = {
  name: "Prisma",
  open: async (url, { fromPrisma }) => {
    const pool = openPool(url);
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
    return {
      pool,
      db: prisma,
      transactions: fromPrisma(prisma),
      begin: (run) => prisma.$transaction(run),
      nest: (tx, run) => tx.$transaction(run),
      run: (tx, text) => tx.$queryRawUnsafe(text),
      close: async () => {
        await prisma.$disconnect();
        await pool.end();
      },
    };
  },
};
