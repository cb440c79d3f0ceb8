import { declareErrorTexts } from "../../support/error-texts.js";
import { describePostgres } from "../../support/postgres/server.js";

await describePostgres("an error of a processor", (server) => {
  declareErrorTexts(() => server.open());
});
