import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull, RowId } from "../../../platform/http/schema.ts";
import { occurrenceStatuses } from "../maintenance-window.ts";
import { toWireMoment, toWireWindow, WindowSchema } from "../schema.ts";
import { type Calendar, maxCalendarDays, type Preview } from "./actions.ts";
import type { Coverage } from "./coverage.ts";

export const CalendarQuery = Type.Object({
  from: Described(Type.Optional(DateTime), "Where the range begins; by default now."),
  to: Described(
    Type.Optional(DateTime),
    `Where the range ends, at most ${maxCalendarDays} days later; by default 31 days later.`,
  ),
});

const CheckCount = Type.Integer({ description: "How many checks.", examples: [12] });

const CoverageSchema = Type.Object(
  {
    isEverything: Type.Boolean({ description: "Whether it silences every check." }),
    checkCount: Type.Integer({
      description: "How many checks it silences, each counted once.",
      examples: [12],
    }),
    tags: Type.Array(
      Type.Object({
        tag: Type.String({ description: "The tag.", examples: ["network"] }),
        checkCount: CheckCount,
      }),
      { description: "Its tags, and how many checks have each, their own or their group's." },
    ),
    groups: Type.Array(
      Type.Object({
        id: Described(RowId, "The group's id."),
        name: Described(OrNull(Type.String()), "Its name; null: it was deleted.", "Shop"),
        checkCount: CheckCount,
      }),
      { description: "The groups that it names." },
    ),
    checks: Type.Array(
      Type.Object({
        id: Described(Guid, "The check's id."),
        name: Described(OrNull(Type.String()), "Its name; null: it was deleted.", "db-1"),
      }),
      { description: "The checks that it names." },
    ),
  },
  { title: "MaintenanceCoverage" },
);

const StartsAt = Described(DateTime, "When it begins.");
const EndsAt = Described(DateTime, "When it ends.");
const Silences = Described(CoverageSchema, "Which checks it silences.");

const OccurrenceSchema = Type.Object({
  id: Described(Guid, "The occurrence's id."),
  maintenanceWindowId: Described(RowId, "The window's id."),
  startsAt: StartsAt,
  endsAt: EndsAt,
  status: Described(OneOf(occurrenceStatuses), "How far it is."),
  isMoved: Type.Boolean({ description: "Whether its times differ from the window's rule." }),
});

export const CalendarSchema = Type.Object(
  {
    from: Described(DateTime, "Where the range begins."),
    to: Described(DateTime, "Where the range ends."),
    windows: Type.Array(
      Type.Object({
        window: Described(WindowSchema, "The window."),
        silences: Silences,
        next: Described(
          OrNull(OccurrenceSchema),
          "The occurrence that is under way, or else the next one; null: there is none.",
        ),
      }),
      { description: "Every window of the account." },
    ),
    maintenances: Type.Array(OccurrenceSchema, {
      description:
        "Their occurrences that are open at some moment of the range, in the order they start.",
    }),
    isTruncated: Type.Boolean({ description: "True: there are more than are shown." }),
  },
  { title: "MaintenanceCalendar" },
);

export const PreviewSchema = Type.Object(
  {
    occurrences: Type.Array(Type.Object({ startsAt: StartsAt, endsAt: EndsAt }), {
      description: "The first of them that are not over yet.",
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
    startsAt: toWireMoment(one.startsAtMs),
    endsAt: toWireMoment(one.endsAtMs),
    status: one.status,
    isMoved: one.isMoved,
  };
}

export function toWireCalendar({ from, to, windows, occurrences, isTruncated }: Calendar) {
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

export function toWirePreview({ occurrences, silences }: Preview) {
  return {
    occurrences: occurrences.map(({ startsAtMs, endsAtMs }) => ({
      startsAt: toWireMoment(startsAtMs),
      endsAt: toWireMoment(endsAtMs),
    })),
    silences: toWireCoverage(silences),
  };
}
