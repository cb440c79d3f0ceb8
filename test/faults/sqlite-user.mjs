// Another program on this machine that uses an SQLite file: runs the SQL that its parent sends, one request at a time.
import Database from "libsql";

const database = new Database(process.argv[2]);
database.exec("pragma busy_timeout = 20000");

process.on("message", (sql) => {
  try {
    database.exec(sql);
    process.send({});
  } catch (error) {
    process.send({ error: String(error) });
  }
});
process.on("disconnect", () => process.exit(0));
