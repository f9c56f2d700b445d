import { Type } from "typebox";
import type { Caller } from "../../../access/accounts/index.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OrNull,
  parseBounds,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { writeCsvLine } from "../../../platform/text/escaping.ts";
import { getZone, mapPeople, sumTimeOnCall } from "../../on-call/index.ts";
import type { AlertingContext } from "../context.ts";
import { countPages, listPreferences } from "./store.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const defaultDays = 30;
/** Maximum number of days in a report, enough for a quarter. */
const maxDays = 93;
const nightFromHour = 22;
const nightToHour = 7;

function isNight(timeZone: string, atMs: number): boolean {
  const hour = Math.floor((getZone(timeZone).toLocal(atMs) % dayMs) / hourMs);
  return hour >= nightFromHour || hour < nightToHour;
}

interface ReportRow {
  readonly userId: string;
  readonly name: string;
  readonly isMember: boolean;
  readonly timezone: string;
  readonly hours: number;
  readonly pages: number;
  readonly pagesAtNight: number;
  readonly acknowledged: number;
  readonly medianSecondsToAcknowledge: number | null;
}

interface Report {
  readonly from: Date;
  readonly to: Date;
  readonly people: readonly ReportRow[];
}

function readRange(now: Date, query: { readonly from?: Date; readonly to?: Date }) {
  const to = query.to ?? now;
  const from = query.from ?? new Date(to.getTime() - defaultDays * dayMs);
  if (to <= from) throw invalid("to", "must be after from", "querystring");
  if (to.getTime() - from.getTime() > maxDays * dayMs) {
    throw invalid("to", `must be at most ${maxDays} days after from`, "querystring");
  }
  return { from, to };
}

const roundTo = (value: number, digits: number) => Number(value.toFixed(digits));

/** Returns the on-call hours and pages of each person. Hours in the future are not counted. */
export async function createReport(
  { db, clock }: Pick<AlertingContext, "db" | "clock">,
  { accountId }: Pick<Caller, "accountId">,
  query: { readonly from?: Date; readonly to?: Date },
): Promise<Report> {
  const now = clock.now();
  const range = readRange(now, query);
  const span = {
    fromMs: range.from.getTime(),
    toMs: Math.min(range.to.getTime(), now.getTime()),
  };
  const times = span.fromMs < span.toMs ? await sumTimeOnCall(db, accountId, span) : [];
  const paged = await countPages(db, accountId, range);
  const onCall = new Map(times.map((time) => [time.person.userId, time]));
  const counts = new Map(paged.map((count) => [count.userId, count]));
  const people = await mapPeople(db, accountId, [...onCall.keys(), ...counts.keys()]);
  const chosen = await listPreferences(db, accountId, [...people.keys()]);
  const zones = new Map(chosen.map(({ userId, timeZone }) => [userId, timeZone]));
  const rows = [...people.values()].map(({ userId, name, leftAt }): ReportRow => {
    const time = onCall.get(userId);
    const count = counts.get(userId);
    const timezone = zones.get(userId) ?? time?.timeZone ?? "UTC";
    const atNight = (count?.bins ?? []).filter(([atMs]) => isNight(timezone, atMs));
    const median = count?.medianSeconds ?? null;
    return {
      ...{ userId, name, timezone, isMember: leftAt === null },
      hours: roundTo((time?.ms ?? 0) / hourMs, 2),
      pages: count?.pages ?? 0,
      pagesAtNight: atNight.reduce((sum, [, pages]) => sum + pages, 0),
      acknowledged: count?.acknowledged ?? 0,
      medianSecondsToAcknowledge: median === null ? null : roundTo(median, 0),
    };
  });
  const byName = (one: ReportRow, other: ReportRow) =>
    one.name.localeCompare(other.name, "en") || (one.userId < other.userId ? -1 : 1);
  return { ...range, people: rows.sort(byName) };
}

const Query = Type.Object({
  from: Described(Type.Optional(DateTime), `Start. Default: ${defaultDays} days before the end.`),
  to: Described(Type.Optional(DateTime), `End, at most ${maxDays} days after from. Default: now.`),
});

const count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], minimum: 0 });

const ReportSchema = Type.Object(
  {
    from: Described(DateTime, "Start of the report."),
    to: Described(DateTime, "End of the report."),
    people: Type.Array(
      Type.Object(
        {
          userId: Described(Guid, "The user's id."),
          name: Type.String({ description: "Name, or email address.", examples: ["Anna"] }),
          isMember: Type.Boolean({ description: "False if they left the account." }),
          timezone: Type.String({
            description:
              "Time zone that decides what is night: their own if they chose one, or that of the first " +
              "schedule that they were on call for, or UTC.",
            examples: ["Europe/Berlin"],
          }),
          hours: Type.Number({
            description:
              "Hours on call that have passed. Shifts of several schedules at the same time count " +
              "once.",
            examples: [84.5],
          }),
          pages: count("Number of pages. A page that combines alerts counts once.", 6),
          pagesAtNight: count(
            `Pages between ${nightFromHour}:00 and 0${nightToHour}:00 in their time zone.`,
            2,
          ),
          acknowledged: count("Pages whose alert was acknowledged afterwards, by anybody.", 5),
          medianSecondsToAcknowledge: Described(
            OrNull(Type.Integer({ minimum: 0 })),
            "Median time from the page to the acknowledgement; `null` if none was acknowledged.",
            95,
          ),
        },
        { title: "OnCallReportPerson" },
      ),
      { description: "Everyone who was on call or paged, by name." },
    ),
  },
  { title: "OnCallReport" },
);

function toWire({ from, to, people }: Report) {
  return { from: formatDateTime(from), to: formatDateTime(to), people: [...people] };
}

function toCsv({ people }: Report): string {
  const head = ["name", "user_id", "hours", "pages", "pages_at_night", "acknowledged"];
  const lines = people.map((row) => [
    ...[row.name, row.userId, String(row.hours), String(row.pages), String(row.pagesAtNight)],
    ...[String(row.acknowledged), row.medianSecondsToAcknowledge?.toString() ?? "", row.timezone],
  ]);
  const all = [[...head, "median_seconds_to_acknowledge", "timezone"], ...lines];
  return all.map(writeCsvLine).join("");
}

const tags = ["On call"];

export function addReportRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/on-call/report",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getOnCallReport",
        summary: "Report the hours and pages of each person",
        description:
          "Past shifts count with the settings that their schedule had at that time. Pages are " +
          "stored for 365 days.",
        querystring: Query,
        response: answers({ 200: ReportSchema }),
      },
    },
    async ({ caller, query }) => toWire(await createReport(context, caller, parseBounds(query))),
  );
  server.get(
    "/v1/on-call/report/export",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "exportOnCallReport",
        summary: "Download the report of hours and pages as CSV",
        description: "The same rows as the report, with one header line.",
        querystring: Query,
        produces: ["text/csv"],
        response: answers({
          200: Type.String({ title: "OnCallReportFile", description: "CSV with a header line." }),
        }),
      },
    },
    async ({ caller, query }, reply) => {
      const report = await createReport(context, caller, parseBounds(query));
      return reply
        .type("text/csv; charset=utf-8; header=present")
        .header("content-disposition", 'attachment; filename="on-call-report.csv"')
        .send(toCsv(report));
    },
  );
}
