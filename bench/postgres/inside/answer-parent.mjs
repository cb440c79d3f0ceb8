/** Runs one of these methods at a time for the parent, and sends back what it returns. Ends with the parent. */
export function answerParent(methods) {
  process.on("message", async ({ method, options }) => {
    try {
      process.send({ value: await methods[method](options) });
    } catch (error) {
      process.send({ error: error.stack ?? String(error) });
    }
  });
  process.on("disconnect", () => process.exit());
}
