import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "../generated/prisma/client.js";

export const library = {
  name: "Prisma",
  open: async (url, { fromPrisma }) => {
    const pool = new pg.Pool({ connectionString: url });
    // An idle connection can be lost.
    pool.on("error", () => {});
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
