import type { preValidationHookHandler } from "fastify";
import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { type Check, getCheck } from "../../checks/checks/index.ts";
import { allKinds, expectedDocuments, gatherFields, kinds } from "../../kinds/index.ts";
import { explainVerdict } from "../../kinds/kit/verdict.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import { clientProperties, isFromClient } from "../../platform/http/client-dialect.ts";
import {
  answers,
  CursorPage,
  DateTime,
  Described,
  Guid,
  ObjectOrNull,
  OneOf,
  PageQuery,
  toCursorPage,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { findRunPath, PathReportSchema, toWirePathReport } from "./path-store.ts";
import {
  findResult,
  listResults,
  type ResultQuery,
  type ResultRow,
  readRun,
  readStoppedAt,
  verdictNames,
} from "./result-store.ts";
import { deriveRunId, readDueAtMs } from "./run-id.ts";

const Moment = Type.Integer({ minimum: 0, maximum: 32_503_680_000, description: "Unix seconds" });

const ResultParams = Type.Object({
  checkId: Described(Guid, "The check's id."),
  resultId: Described(Guid, "The result's id."),
});
const ResultsParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

const filters = {
  limit: Type.Integer({
    description: "Maximum number of entries to return.",
    minimum: 1,
    maximum: 100,
    default: 10,
  }),
  location: Type.Optional(
    Type.String({ description: "Only results from this location.", maxLength: 64 }),
  ),
  checkType: Type.Optional(
    Type.String({
      description: "Only results of this kind of check, such as ICMP.",
      maxLength: 32,
    }),
  ),
  hasFailures: Type.Optional(
    Type.Boolean({ description: "If true, only results that failed; if false, only the others." }),
  ),
  verdict: Described(
    Type.Optional(OneOf(["passing", "degraded", "failing", "unknown"])),
    "Only results with this verdict.",
  ),
  resultType: Type.Enum(["FINAL", "ATTEMPT", "ALL"], {
    description: "Final results, attempts that were retried, or all.",
    type: "string",
    default: "FINAL",
  }),
  from: Described(Type.Optional(Moment), "Start of the time range in Unix seconds, inclusive."),
  to: Described(Type.Optional(Moment), "End of the time range in Unix seconds, exclusive."),
};

const ResultsQuery = Type.Object({
  ...filters,
  nextId: Described(Type.Optional(Guid), "Cursor: `nextId` of the previous page."),
});
const NumberedResultsQuery = Type.Object({ ...filters, page: PageQuery.page });

const shown = {
  id: Described(Guid, "Its id."),
  name: Type.String({ description: "The check's name.", examples: ["Router"] }),
  checkId: Described(Guid, "The check's id."),
  hasFailures: Type.Boolean({ description: "True: it failed." }),
  hasErrors: Type.Boolean({ description: "True if the run ended with an error." }),
  isDegraded: Type.Boolean({ description: "True if it is degraded." }),
  isCancelled: Type.Boolean({ description: "Always false." }),
  overMaxResponseTime: Type.Boolean({
    description: "True if the average round trip is above `maxResponseTime`.",
  }),
  runLocation: Type.String({ description: "Where it ran.", examples: ["eu-central-1"] }),
  probeId: Type.String({ description: "The probe that ran it.", examples: ["probe-1"] }),
  startedAt: Described(DateTime, "When it began."),
  stoppedAt: Described(DateTime, "When it ended."),
  created_at: Described(DateTime, "When it was recorded."),
  responseTime: Type.Number({
    description: "The average round trip in milliseconds; 0 if there was no response.",
    examples: [12.4],
  }),
  checkRunId: Type.Integer({
    description: "When the run was due, in Unix milliseconds.",
    examples: [1794734400000],
  }),
  attempts: Type.Integer({ description: "Number of the attempt, from 1." }),
  resultType: Described(
    OneOf(["FINAL", "ATTEMPT"]),
    "FINAL if the result counts; ATTEMPT if it was retried.",
  ),
  sequenceId: Described(Guid, "Identical for all attempts of one run at one location."),
  verdict: Described(
    OneOf(["passing", "degraded", "failing", "unknown"]),
    "The verdict of the run.",
  ),
  reasons: Type.Array(
    Type.Object(
      { name: Type.String({ description: "The reason.", examples: ["all-within-limits"] }) },
      { additionalProperties: true },
    ),
    { description: "Reasons of the verdict by name, with figures." },
  ),
  explanation: Type.String({
    description: "The reasons as a sentence.",
    examples: ["Everything was within its limits."],
  }),
  traceId: Type.Null({ description: "Always null." }),
  errorGroupIds: Type.Array(Type.String(), { description: "Always empty.", examples: [[]] }),
};

const noDocuments = Object.fromEntries(
  expectedDocuments.map((name) => [
    name,
    Type.Null({ description: "Always `null` in a list and for checks of other kinds." }),
  ]),
);

const ListedResult = Type.Object({ ...shown, ...noDocuments }, { title: "Result" });
const ResultPage = CursorPage(ListedResult);

/**
 * Schema of a full result. The document with the details of the run is in a field whose name
 * depends on the kind of the check.
 */
const WholeResult = Type.Object(
  {
    ...shown,
    ...noDocuments,
    ...gatherFields(({ documentField, DocumentSchema }) => ({
      [documentField]: expectedDocuments.includes(documentField)
        ? ObjectOrNull(DocumentSchema)
        : DocumentSchema,
    })),
    // Path report of the run. It is absent in lists and in most results.
    path: Type.Optional(PathReportSchema),
  },
  {
    title: allKinds.length === 1 ? `${allKinds[0]?.operations.name}Result` : "WholeResult",
    // Existing clients receive an integer: the Go SDK cannot decode fractions of a millisecond.
    [clientProperties]: { responseTime: Type.Integer() },
  },
);

const absentDocuments = Object.fromEntries(expectedDocuments.map((name) => [name, null]));
const allWithinLimits = [{ name: "all-within-limits" }];

function toWireResult(row: ResultRow, { kind, settings }: Check) {
  const verdict = verdictNames[row.verdict] ?? "unknown";
  const dueAtMs = readDueAtMs(row.id);
  const first = { checkId: row.check_id, dueAtMs, location: row.location, attempt: 1 };
  const reasons = row.reasons ?? allWithinLimits;
  return {
    id: row.id,
    name: settings.name,
    checkId: row.check_id,
    hasFailures: verdict === "failing",
    hasErrors: verdict !== "unknown" && row.trouble !== null,
    isDegraded: verdict === "degraded",
    isCancelled: false,
    overMaxResponseTime: reasons.some((reason) => reason.name === "response-time-above-max"),
    runLocation: row.location,
    probeId: row.probe_id,
    startedAt: formatDateTime(row.started_at),
    stoppedAt: formatDateTime(readStoppedAt(row)),
    created_at: formatDateTime(readStoppedAt(row)),
    responseTime: row.response_ms ?? 0,
    checkRunId: dueAtMs,
    attempts: row.attempt,
    resultType: row.is_final ? ("FINAL" as const) : ("ATTEMPT" as const),
    // The sequence id is identical for all attempts of a run at one location.
    sequenceId: row.attempt === 1 ? row.id : deriveRunId(first),
    verdict,
    reasons: reasons as { name: string }[],
    explanation: explainVerdict(kinds[kind], reasons),
    traceId: null,
    errorGroupIds: [],
    ...absentDocuments,
  };
}

function toWireWholeResult(row: ResultRow, check: Check) {
  const { documentField, document, decode } = kinds[check.kind];
  return {
    ...toWireResult(row, check),
    [documentField]: document(readRun({ decode }, row)),
  };
}

interface ResultsContext {
  readonly db: Database;
  readonly clock: Clock;
}

interface ResultsRequest extends Omit<ResultQuery, "fromMs" | "toMs"> {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly checkType?: string | undefined;
}

/** Length of the time range if the request has no start. */
const defaultSpanMs = 86_400_000;
const aheadMs = 60_000;

export async function listCheckResults(
  context: ResultsContext,
  caller: Caller,
  request: ResultsRequest & { readonly checkId: string },
): Promise<{ readonly check: Check; readonly rows: ResultRow[] }> {
  const check = await getCheck(context, caller, request.checkId);
  if (request.checkType !== undefined && request.checkType !== check.kind) {
    return { check, rows: [] };
  }
  const nowMs = context.clock.now().getTime();
  const toMs = request.to === undefined ? nowMs + aheadMs : request.to * 1_000;
  const fromMs = request.from === undefined ? toMs - defaultSpanMs - aheadMs : request.from * 1_000;
  const rows = await listResults(context.db, check.id, { ...request, fromMs, toMs });
  return { check, rows };
}

export async function getResult(
  context: ResultsContext,
  caller: Caller,
  { checkId, resultId }: { readonly checkId: string; readonly resultId: string },
): Promise<{ readonly check: Check; readonly row: ResultRow }> {
  const check = await getCheck(context, caller, checkId);
  const row = await findResult(context.db, check.id, resultId);
  if (row === null) throw notFound();
  return { check, row };
}

const tags = ["Results"];

const maxSpanSeconds = 6 * 3_600;

/**
 * Decides the time range of at most six hours for a list of full results. If only `from` or only
 * `to` is given, the other end is six hours away.
 */
export function decideSixHours(
  { from, to }: Pick<ResultsRequest, "from" | "to">,
  nowMs: number,
): { readonly from: number; readonly to: number } {
  if (from === undefined && to === undefined) {
    const now = Math.ceil(nowMs / 1_000);
    return { from: now - maxSpanSeconds, to: now + aheadMs / 1_000 };
  }
  const end = to ?? Number(from) + maxSpanSeconds;
  const start = from ?? Math.max(0, end - maxSpanSeconds);
  if (end - start > maxSpanSeconds) {
    throw invalid("from", "must be at most six hours before to", "querystring");
  }
  return { from: start, to: end };
}

/** Accepts `1` as `true`, because the Go SDK sends `1`. */
const acceptClientFlag: preValidationHookHandler = (request, _reply, done) => {
  const query = request.query as Record<string, unknown>;
  if (isFromClient(request) && query.hasFailures === "1") query.hasFailures = "true";
  done();
};

function addNumberedResultsRoute(server: HttpServer, context: ResultsContext): void {
  server.get(
    "/v1/check-results/:checkId",
    {
      config: { access: "read" },
      preValidation: acceptClientFlag,
      schema: {
        tags,
        operationId: "listWholeCheckResults",
        summary: "List a check's results of six hours with their measurements",
        description:
          "For existing clients; others use `GET /v2/check-results/{checkId}`. Newest first, " +
          "paginated by `page`; a page with fewer than `limit` results is the last. Without `from` " +
          "and `to`, lists the last six hours. One of them alone is the start or the end of six " +
          "hours, and both together are at most six hours apart.",
        params: ResultsParams,
        querystring: NumberedResultsQuery,
        response: answers({ 200: Type.Array(WholeResult) }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const { check, rows } = await listCheckResults(context, caller, {
        ...query,
        ...decideSixHours(query, context.clock.now().getTime()),
        checkId: params.checkId,
        offset: Math.max(0, query.page - 1) * query.limit,
      });
      return rows.map((row) => toWireWholeResult(row, check));
    },
  );
}

export function addResultRoutes(server: HttpServer, context: ResultsContext): void {
  server.get(
    "/v2/check-results/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckResults",
        summary: "List a check's results, newest first",
        description:
          "Cursor pagination: pass `nextId` of a response to get the next page. Single packets are in " +
          "the single result only.",
        params: ResultsParams,
        querystring: ResultsQuery,
        response: answers({ 200: ResultPage }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { ...query, checkId: params.checkId, limit: query.limit + 1 };
      const { check, rows } = await listCheckResults(context, caller, request);
      const entries = rows.map((row) => toWireResult(row, check));
      return toCursorPage(entries, query.limit);
    },
  );
  server.get(
    "/v1/check-results/:checkId/:resultId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheckResult",
        summary: "Get one result with all packets",
        description:
          "Round trip, TTL and ICMP type of each packet, and the figures derived from them. `path` is " +
          "present if the path to the target was traced after this run, some seconds later.",
        params: ResultParams,
        response: answers({ 200: WholeResult }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { check, row } = await getResult(context, caller, params);
      const path = await findRunPath(context.db, check.id, row.id);
      return {
        ...toWireWholeResult(row, check),
        ...(path !== null && { path: toWirePathReport(path) }),
      };
    },
  );
  addNumberedResultsRoute(server, context);
}
