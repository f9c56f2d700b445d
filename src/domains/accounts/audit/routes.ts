import { answers, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AccountsContext } from "../context.ts";
import { readAuditLog } from "./actions.ts";
import { AuditPage, AuditQuery, toWireAuditEntry } from "./schema.ts";

export function addAuditRoutes(server: HttpServer, context: AccountsContext): void {
  server.get(
    "/v1/audit-log",
    {
      config: { access: "admin" },
      schema: {
        tags: ["Audit log"],
        operationId: "listAuditEntries",
        summary: "List who changed what, newest first",
        description:
          "In pages: `nextId` of an answer asks for the next one. Secrets are never in " + "it.",
        querystring: AuditQuery,
        response: answers({ 200: AuditPage }),
      },
    },
    async ({ caller, query }) => {
      const entries = await readAuditLog(context, caller, { ...query, limit: query.limit + 1 });
      return toCursorPage(entries.map(toWireAuditEntry), query.limit);
    },
  );
}
