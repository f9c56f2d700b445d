import { answers, parseBounds, toCursorPage } from "../../../platform/http/schema.ts";
import { sendDownload } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import type { AccountsContext } from "../context.ts";
import { exportAuditLog, readAuditFacets, readAuditLog } from "./actions.ts";
import { entryWriters } from "./audit-entry.ts";
import {
  AuditExport,
  AuditExportQuery,
  AuditFacetsSchema,
  AuditPage,
  AuditQuery,
  toWireAuditEntry,
} from "./schema.ts";

const tags = ["Audit log"];

export function addAuditRoutes(server: HttpServer, context: AccountsContext): void {
  const slots = new StreamSlots({ perAccount: 2, total: 8 });
  server.get(
    "/v1/audit-log",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "listAuditEntries",
        summary: "List audit entries, newest first",
        description:
          "Paginated: pass `nextId` of the response to fetch the next page. All filters must " +
          "match. Entries never contain secrets.",
        querystring: AuditQuery,
        response: answers({ 200: AuditPage }),
      },
    },
    async ({ caller, query: { limit, nextId, ...filter } }) => {
      const query = { ...parseBounds(filter), nextId, limit: limit + 1 };
      const entries = await readAuditLog(context, caller, query);
      return toCursorPage(entries.map(toWireAuditEntry), limit);
    },
  );
  server.get(
    "/v1/audit-log/facets",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "getAuditFacets",
        summary: "List the actions and actors in the audit log, to filter by",
        description: "At most 500 values per facet.",
        response: answers({ 200: AuditFacetsSchema }),
      },
    },
    ({ caller }) => readAuditFacets(context, caller),
  );
  server.get(
    "/v1/audit-log/export",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "exportAuditLog",
        summary: "Download the audit log",
        description:
          "Newest first, as CSV or NDJSON. Without filters, the whole log. In the CSV, a value " +
          "that a spreadsheet would run as a formula is prefixed with an apostrophe. The " +
          "download itself is recorded in the log.",
        querystring: AuditExportQuery,
        produces: ["text/csv", "application/x-ndjson"],
        response: answers({ 200: AuditExport }),
      },
    },
    async ({ caller, query: { format = "csv", ...filter } }, reply) => {
      const exportRequest = { format, filter: parseBounds(filter) };
      const { contentType } = entryWriters[format];
      const slot = slots.take(caller.accountId);
      return sendDownload(reply, {
        fileName: `audit-log.${format}`,
        contentType,
        pieces: exportAuditLog(context, caller, exportRequest),
        onEnd: () => slots.release(slot),
      });
    },
  );
}
