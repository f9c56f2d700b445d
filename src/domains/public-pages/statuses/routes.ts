import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { PublicPagesContext } from "../context.ts";
import { getServiceStatus, listServiceStatuses } from "./actions.ts";
import {
  ServiceStatusList,
  ServiceStatusParams,
  ServiceStatusSchema,
  toWireServiceStatus,
} from "./schema.ts";

const tags = ["Statuses"];

export function addServiceStatusRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    "/v1/service-statuses",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listServiceStatuses",
        summary: "List the status of every service",
        description: "The status is the worse of the open incidents and the followed checks.",
        response: answers({ 200: ServiceStatusList }),
      },
    },
    async ({ caller }) => (await listServiceStatuses(context, caller)).map(toWireServiceStatus),
  );
  server.get(
    "/v1/service-statuses/:serviceId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getServiceStatus",
        summary: "Get the status of a service",
        description: "The status shown on status pages, with its causes.",
        params: ServiceStatusParams,
        response: answers({ 200: ServiceStatusSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireServiceStatus(await getServiceStatus(context, caller, params.serviceId)),
  );
}
