import type { JsonSchema } from "../../contract/definition/definition.js";
import type { Components, DescribedService } from "../components.js";
import type { OpenApiParameter, PathItem } from "../document.js";
import { operationList } from "../schemas/operation-schemas.js";
import { listContent } from "./content.js";
import { headers } from "./headers.js";
import { commonRefusals, refusals } from "./refusals.js";
import { STATUS_TAG } from "./status-path.js";

/** Describes the path where tenants list their own operations. */
export function listPath(service: DescribedService, components: Components): PathItem {
  return {
    get: {
      operationId: "listOperations",
      tags: [STATUS_TAG],
      summary: "List operations",
      description:
        "Lists the operations of the caller's tenant, newest first. They have neither progress nor results.",
      parameters: parametersOf(service),
      responses: {
        200: {
          description: "A page of the list.",
          headers: headers(components, {
            Link: "NextPage",
            "Cache-Control": "NoStore",
            Vary: "AcceptVaries",
            "X-Content-Type-Options": "NoSniff",
          }),
          content: listContent(service, operationList(components)),
        },
        ...refusals(service, components, [
          ...commonRefusals(service.settings),
          "INVALID_QUERY",
          "STORE_UNAVAILABLE",
        ]),
      },
    },
  };
}

function parametersOf({ definitions }: DescribedService): OpenApiParameter[] {
  const names = definitions.map(({ name }) => name);
  return [
    query("definition", "Only operations of this definition.", { type: "string", enum: names }),
    query("status", "Only operations with this status.", {
      type: "string",
      enum: ["pending", "completed", "failed"],
    }),
    query("cursor", "Start of the page, from the `Link` of the previous page.", { type: "string" }),
    query("limit", "Maximum number of operations.", {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 20,
    }),
  ];
}

function query(name: string, description: string, schema: JsonSchema): OpenApiParameter {
  return { name, in: "query", description, required: false, schema };
}
