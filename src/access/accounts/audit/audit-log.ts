import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  exampleId,
  Guid,
  OneOf,
  OrNull,
  parseBounds,
  toCursorPage,
} from "../../../platform/http/schema.ts";
import { sendDownload } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import { type Caller, isAllowed, requireAccess } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import {
  type AuditEntry,
  type AuditFilter,
  deleteAuditEntriesBefore,
  type AuditQuery as EntriesQuery,
  type ExportFormat,
  entryWriters,
  exportFormats,
  listAuditEntries,
  listAuditValues,
  writeAuditEntry,
} from "./store.ts";

/**
 * Returns whether a caller may see who made a change. This applies to every response with authors,
 * not only to the audit log.
 */
export function mayReadAuditLog({ role, type }: Caller): boolean {
  return isAllowed("admin", role, type === "SESSION");
}

export function readAuditLog(
  context: Pick<AccountsContext, "db">,
  caller: Caller,
  query: EntriesQuery,
): Promise<AuditEntry[]> {
  requireAccess(caller, "admin");
  return listAuditEntries(context.db, caller.accountId, query);
}

interface AuditFacets {
  readonly actions: readonly string[];
  readonly actors: readonly string[];
}

/** Maximum number of values that are listed for one filter. */
const maxFacetValues = 500;

/** Returns the actions and actors by which the audit log can be filtered. */
async function readAuditFacets({ db }: AccountsContext, caller: Caller): Promise<AuditFacets> {
  requireAccess(caller, "admin");
  const { accountId } = caller;
  const limit = maxFacetValues;
  const [actions, actors] = await Promise.all([
    listAuditValues(db, accountId, { column: "action", limit }),
    listAuditValues(db, accountId, { column: "actor_name", limit }),
  ]);
  return { actions, actors };
}

const exportBatch = 500;

interface AuditExportRequest {
  readonly format: ExportFormat;
  readonly filter: AuditFilter;
}

/** Streams the audit log in batches, to save memory. The export itself is recorded in the log. */
function exportAuditLog(
  context: AccountsContext,
  caller: Caller,
  request: AuditExportRequest,
): AsyncGenerator<string> {
  // Not in the generator, which starts after the status of the response is sent.
  requireAccess(caller, "admin");
  return writeExport(context, caller, request);
}

async function* writeExport(
  context: AccountsContext,
  caller: Caller,
  request: AuditExportRequest,
): AsyncGenerator<string> {
  await recordExport(context, caller, request);
  const { format, filter } = request;
  const { head, writeEntry } = entryWriters[format];
  let nextId: string | undefined;
  let before = head;
  do {
    const limit = exportBatch + 1;
    const entries = await listAuditEntries(context.db, caller.accountId, {
      ...filter,
      limit,
      nextId,
    });
    nextId = entries[exportBatch]?.id;
    const text = before + entries.slice(0, exportBatch).map(writeEntry).join("");
    before = "";
    if (text !== "") yield text;
  } while (nextId !== undefined);
}

async function recordExport(
  context: AccountsContext,
  caller: Caller,
  { format, filter }: AuditExportRequest,
): Promise<void> {
  const chosen = Object.entries(filter).filter(([, value]) => value !== undefined);
  const note = { action: "audit-log.exported", targetId: caller.accountId };
  const changes = { format, ...Object.fromEntries(chosen) };
  await writeAuditEntry(context.db, caller, { ...note, changes, at: context.clock.now() });
}

export async function pruneAuditLog(context: AccountsContext, keptDays: number): Promise<void> {
  const before = new Date(context.clock.now().getTime() - keptDays * 86_400_000);
  await deleteAuditEntriesBefore(context.db, before);
}

const Text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description, examples: [example] }));

const filters = {
  action: Text(64, "Only entries with this action.", "api-key.created"),
  actor: Text(400, "Only entries of the actor with this name.", "ada@example.com"),
  targetType: Text(64, "Only entries with this target type.", "api-key"),
  targetId: Text(200, "Only entries with this target id.", exampleId),
  from: Described(Type.Optional(DateTime), "Only entries at or after this time."),
  to: Described(Type.Optional(DateTime), "Only entries before this time."),
  search: Text(200, "Only entries that contain this text in any field.", "router"),
};

const AuditQuery = Type.Object({ ...CursorQuery, ...filters });
const AuditExportQuery = Type.Object({
  format: Described(
    Type.Optional(OneOf(exportFormats)),
    "`csv` for spreadsheets, `ndjson` (one JSON object per line) for programs.",
  ),
  ...filters,
});
const AuditFacetsSchema = Type.Object(
  {
    actions: Type.Array(Type.String(), {
      description: "Actions in the log, in alphabetical order.",
      examples: [["api-key.created", "check.updated"]],
    }),
    actors: Type.Array(Type.String(), {
      description: "Names of the actors in the log, in alphabetical order.",
      examples: [["ada@example.com"]],
    }),
  },
  { title: "AuditFacets" },
);

const AuditExport = Type.String({
  description: "The entries, newest first.",
  examples: ["at,action,actorType\r\n2026-11-16T10:00:00.000Z,api-key.created,SESSION\r\n"],
});

const AuditEntrySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    at: Described(DateTime, "Time of the action."),
    actor: Type.Object(
      {
        type: Type.String({ description: "Type of the actor.", examples: ["USER"] }),
        id: Described(OrNull(Guid), "Id of the user or key; `null` if the server itself acted."),
        name: Type.String({ description: "Name of the actor at that time.", examples: ["Ada"] }),
      },
      { description: "Who performed the action." },
    ),
    action: Type.String({ description: "The action.", examples: ["api-key.created"] }),
    target: Type.Object(
      {
        type: Type.String({ description: "Type of the target.", examples: ["api-key"] }),
        id: Type.String({
          description: "Id of the target.",
          examples: ["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"],
        }),
        name: Described(
          OrNull(Type.String()),
          "Last name of the target in the log; `null` if no entry contains it.",
          "Deploy script",
        ),
      },
      { description: "The object that was changed." },
    ),
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description: "The changed fields, without secrets.",
    }),
    address: Described(
      OrNull(Type.String()),
      "IP address of the actor; `null` if unknown.",
      "192.0.2.7",
    ),
    requestId: Described(
      OrNull(Type.String()),
      "Id of the request in the server log; `null` if there was no request.",
      "req-1",
    ),
  },
  { title: "AuditEntry" },
);

const AuditPage = CursorPage(AuditEntrySchema);

function toWireAuditEntry(entry: AuditEntry) {
  return { ...entry, at: formatDateTime(entry.at), changes: { ...entry.changes } };
}

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
      const pieces = exportAuditLog(context, caller, exportRequest);
      const slot = slots.take(caller.accountId);
      return sendDownload(reply, {
        fileName: `audit-log.${format}`,
        contentType,
        pieces,
        onEnd: () => slots.release(slot),
      });
    },
  );
}
