import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  parseBounds,
  RowId,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type Calendar,
  type Coverage,
  maxCalendarDays,
  type Preview,
  previewWindow,
  readCalendar,
} from "./calendar.ts";
import { occurrenceStatuses } from "./maintenance-window.ts";
import type { MaintenanceContext } from "./planned-window.ts";
import { fromWireWindow, toWireTime, toWireWindow, WindowBody, WindowSchema } from "./schema.ts";

const tags = ["Maintenance windows"];

const CalendarQuery = Type.Object({
  from: Described(Type.Optional(DateTime), "Start of the range. Default: now."),
  to: Described(
    Type.Optional(DateTime),
    `End of the range, at most ${maxCalendarDays} days after from. Default: 31 days after from.`,
  ),
});

const CheckCount = Type.Integer({ description: "Number of checks.", examples: [12] });

const CoverageSchema = Type.Object(
  {
    isEverything: Type.Boolean({ description: "Whether the window silences every check." }),
    checkCount: Type.Integer({
      description: "Number of distinct checks it silences.",
      examples: [12],
    }),
    tags: Type.Array(
      Type.Object({
        tag: Type.String({ description: "The tag.", examples: ["network"] }),
        checkCount: CheckCount,
      }),
      {
        description:
          "Its tags, with the number of checks that have each, directly or through their group.",
      },
    ),
    groups: Type.Array(
      Type.Object({
        id: Described(RowId, "The group's id."),
        name: Described(OrNull(Type.String()), "Name; `null` if the group was deleted.", "Shop"),
        checkCount: CheckCount,
      }),
      { description: "The groups that it names." },
    ),
    checks: Type.Array(
      Type.Object({
        id: Described(Guid, "The check's id."),
        name: Described(OrNull(Type.String()), "Name; `null` if the check was deleted.", "db-1"),
      }),
      { description: "The checks that it names." },
    ),
  },
  { title: "MaintenanceCoverage" },
);

const StartsAt = Described(DateTime, "Start of the occurrence.");
const EndsAt = Described(DateTime, "End of the occurrence.");
const Silences = Described(CoverageSchema, "The checks it silences.");

const OccurrenceSchema = Type.Object({
  id: Described(Guid, "The occurrence's id."),
  maintenanceWindowId: Described(RowId, "The window's id."),
  startsAt: StartsAt,
  endsAt: EndsAt,
  status: Described(OneOf(occurrenceStatuses), "Status of the occurrence."),
  isMoved: Type.Boolean({ description: "Whether its times differ from the window's schedule." }),
});

const CalendarSchema = Type.Object(
  {
    from: Described(DateTime, "Start of the range."),
    to: Described(DateTime, "End of the range."),
    windows: Type.Array(
      Type.Object({
        window: Described(WindowSchema, "The window."),
        silences: Silences,
        next: Described(
          OrNull(OccurrenceSchema),
          "The occurrence in progress, otherwise the next one; `null` if there is none.",
        ),
      }),
      { description: "Every window of the account." },
    ),
    maintenances: Type.Array(OccurrenceSchema, {
      description: "Occurrences that overlap the range, ordered by start.",
    }),
    isTruncated: Type.Boolean({ description: "Whether there are more occurrences than returned." }),
  },
  { title: "MaintenanceCalendar" },
);

const PreviewSchema = Type.Object(
  {
    occurrences: Type.Array(Type.Object({ startsAt: StartsAt, endsAt: EndsAt }), {
      description: "The next occurrences that have not ended.",
    }),
    silences: Silences,
  },
  { title: "MaintenancePreview" },
);

function toWireCoverage({ isEverything, checkCount, tags, groups, checks }: Coverage) {
  return { isEverything, checkCount, tags: [...tags], groups: [...groups], checks: [...checks] };
}

function toWireOccurrence(one: Calendar["occurrences"][number]) {
  return {
    id: one.id,
    maintenanceWindowId: one.windowId,
    startsAt: toWireTime(one.startsAtMs),
    endsAt: toWireTime(one.endsAtMs),
    status: one.status,
    isMoved: one.isMoved,
  };
}

function toWireCalendar({ from, to, windows, occurrences, isTruncated }: Calendar) {
  return {
    from: formatDateTime(from),
    to: formatDateTime(to),
    windows: windows.map(({ silences, next, ...window }) => ({
      window: toWireWindow(window),
      silences: toWireCoverage(silences),
      next: next && toWireOccurrence(next),
    })),
    maintenances: occurrences.map(toWireOccurrence),
    isTruncated,
  };
}

function toWirePreview({ occurrences, silences }: Preview) {
  return {
    occurrences: occurrences.map(({ startsAtMs, endsAtMs }) => ({
      startsAt: toWireTime(startsAtMs),
      endsAt: toWireTime(endsAtMs),
    })),
    silences: toWireCoverage(silences),
  };
}

export function addMaintenanceCalendarRoutes(
  server: HttpServer,
  context: MaintenanceContext,
): void {
  server.get(
    "/v1/maintenance-calendar",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getMaintenanceCalendar",
        summary: "List the occurrences of all maintenance windows in a range",
        description:
          "For a calendar: every window with the checks that it silences, and its occurrences in " +
          "the range. Daylight saving time is taken into account.",
        querystring: CalendarQuery,
        response: answers({ 200: CalendarSchema }),
      },
    },
    async ({ caller, query }) =>
      toWireCalendar(await readCalendar(context, caller, parseBounds(query))),
  );
  server.post(
    "/v1/maintenance-windows/preview",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "previewMaintenanceWindow",
        summary: "Preview a maintenance window without saving it",
        description:
          "Returns the next occurrences and the checks that the window would silence. Invalid " +
          "input is rejected as when the window is created.",
        body: WindowBody,
        response: answers({ 200: PreviewSchema }),
      },
    },
    async ({ caller, body }) =>
      toWirePreview(await previewWindow(context, caller, fromWireWindow(body))),
  );
}
