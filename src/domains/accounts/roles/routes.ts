import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { addRoles, type OperationRoles } from "./role-table.ts";
import { RoleTable, toWireRoleTable } from "./schema.ts";

/** Collects the access level of every route; must be called before any other route is added. */
export function addRoleRoutes(server: HttpServer): void {
  const operations: OperationRoles[] = [];
  server.addHook("onRoute", ({ method, url, schema, config }) => {
    const { access } = config ?? {};
    const { operationId, summary, tags } = schema ?? {};
    const isShown = schema?.hide !== true && method !== "HEAD";
    if (!isShown || access === undefined || access === "public") return;
    if (operationId === undefined || summary === undefined) return;
    const path = url.replaceAll(/:(\w+)/g, "{$1}");
    const [tag = ""] = tags ?? [];
    operations.push(addRoles({ operationId, summary, tag, method: String(method), path, access }));
  });
  server.get(
    "/v1/roles",
    {
      config: { access: "read" },
      schema: {
        tags: ["Members"],
        operationId: "listRoles",
        summary: "List the roles and their permissions",
        description:
          "Every operation of this server with the lowest role that may call it, computed from " +
          "the rules that authorise requests.",
        response: answers({ 200: RoleTable }),
      },
    },
    async () => toWireRoleTable(operations),
  );
}
