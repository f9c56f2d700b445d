import { parseBounds } from "../../../platform/http/parse-moment.ts";
import { answers, toCursorPage } from "../../../platform/http/schema.ts";
import { sendDownload } from "../../../platform/http/send-download.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import type { AccountsContext } from "../context.ts";
import { exportAuditLog, readAuditFacets, readAuditLog } from "./actions.ts";
import { entryWriters } from "./export-format.ts";
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
        summary: "List who changed what, newest first",
        description:
          "In pages: `nextId` of an answer asks for the next one. All filters must match. Secrets " +
          "are never in it.",
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
        summary: "List the actions and the people in the audit log, to filter by",
        description: "At most 500 of each.",
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
        summary: "Download the audit log, or what the filters leave of it",
        description:
          "Newest first, as CSV or as one JSON object a line. In the CSV a text that a " +
          "spreadsheet would run as a formula begins with an apostrophe. The download itself " +
          "is an entry of the log.",
        querystring: AuditExportQuery,
        produces: ["text/csv", "application/x-ndjson"],
        response: answers({ 200: AuditExport }),
      },
    },
    async ({ caller, query: { format = "csv", ...filter } }, reply) => {
      const asked = { format, filter: parseBounds(filter) };
      const { contentType } = entryWriters[format];
      const slot = slots.take(caller.accountId);
      return sendDownload(reply, {
        fileName: `audit-log.${format}`,
        contentType,
        pieces: exportAuditLog(context, caller, asked),
        onEnd: () => slots.release(slot),
      });
    },
  );
}
