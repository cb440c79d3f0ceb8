// The process of one server: `node bench/serve.mjs <server> [retain]`. Prints its port. Sends its CPU time to its parent on
// request.
const [name, retain] = process.argv.slice(2);
const { createServer } = await import(`./servers/${name}.mjs`);
const server = await createServer({ retain: retain === "retain" });

server.listen(0, "127.0.0.1", () => console.log(server.address().port));

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuUs: user + system });
});
process.on("disconnect", () => process.exit());
