import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import type { Database } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
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
import { assertExist, assertSound } from "./actions.ts";
import { appliesTo, type MaintenanceWindow, occurrenceStatuses } from "./maintenance-window.ts";
import { findOverrun, listOccurrences, listShownOccurrences, type Span } from "./occurrence.ts";
import { describeOccurrence } from "./occurrences/actions.ts";
import type { MaintenanceContext, PublishedWindow, WindowInput } from "./planned-window.ts";
import { maxTimeMs } from "./recurrence.ts";
import { fromWireWindow, toWireTime, toWireWindow, WindowBody, WindowSchema } from "./schema.ts";
import {
  type LabelledCheck,
  type LabelSet,
  listEveryWindow,
  listLabelledChecks,
  listLabelSets,
  mapGroupNames,
} from "./store.ts";

const dayMs = 86_400_000;
const maxCalendarDays = 400;
const defaultDays = 31;
const maxOccurrences = 5_000;
/** Maximum number of occurrences in a preview of a window. */
const maxPreviewed = 8;

type Shown = ReturnType<typeof describeOccurrence>;

interface CalendarWindow extends PublishedWindow {
  readonly silences: Coverage;
  /** The occurrence in progress, or else the next occurrence; `null` if none follows. */
  readonly next: Shown | null;
}

interface Calendar {
  readonly from: Date;
  readonly to: Date;
  readonly windows: readonly CalendarWindow[];
  readonly occurrences: readonly Shown[];
  readonly isTruncated: boolean;
}

async function loadLabelled(
  db: Database,
  accountId: string,
  windows: readonly MaintenanceWindow[],
): Promise<Labelled> {
  const checkIds = windows.flatMap(({ checkIds: ids = [] }) => ids);
  const groupIds = windows.flatMap(({ groupIds: ids = [] }) => ids);
  const [sets, checks, groupNames] = await Promise.all([
    listLabelSets(db, accountId),
    listLabelledChecks(db, accountId, checkIds),
    mapGroupNames(db, accountId, groupIds),
  ]);
  return { sets, checks, groupNames };
}

function findNext(window: PublishedWindow, nowMs: number): Shown | null {
  const span = { fromMs: nowMs, toMs: maxTimeMs, limit: 1 };
  const next = findOverrun(window, nowMs) ?? listOccurrences(window.schedule, span)[0];
  return next === undefined ? null : describeOccurrence(window, next, nowMs);
}

/** Returns an account's windows, the checks they silence, and their occurrences in a range. */
async function readCalendar(
  { db, clock }: MaintenanceContext,
  { accountId }: Caller,
  query: { readonly from?: Date; readonly to?: Date },
): Promise<Calendar> {
  const nowMs = clock.now().getTime();
  const fromMs = query.from?.getTime() ?? nowMs;
  const toMs = query.to?.getTime() ?? fromMs + defaultDays * dayMs;
  if (toMs <= fromMs) throw invalid("to", "must be after from", "querystring");
  if (toMs - fromMs > maxCalendarDays * dayMs) {
    throw invalid("to", `must be at most ${maxCalendarDays} days after from`, "querystring");
  }
  const windows = await listEveryWindow(db, accountId);
  const labelled = await loadLabelled(
    db,
    accountId,
    windows.map(({ schedule }) => schedule),
  );
  const all = windows
    .flatMap((window) => {
      const span = { fromMs, toMs: toMs - 1, limit: maxOccurrences + 1 };
      const shown = listShownOccurrences(window.schedule, span);
      const late = nowMs < toMs ? findOverrun(window, nowMs) : null;
      const isListed = late === null || shown.some(({ index }) => index === late.index);
      const listed = isListed || late.startsAtMs >= toMs ? shown : [late, ...shown];
      return listed.map((one) => ({ window, one }));
    })
    .sort((a, b) => a.one.startsAtMs - b.one.startsAtMs || a.window.id - b.window.id);
  return {
    from: new Date(fromMs),
    to: new Date(toMs),
    windows: windows.map((window) => ({
      ...window,
      silences: describeCoverage(window.schedule, labelled),
      next: findNext(window, nowMs),
    })),
    occurrences: all
      .slice(0, maxOccurrences)
      .map(({ window, one }) => describeOccurrence(window, one, nowMs)),
    isTruncated: all.length > maxOccurrences,
  };
}

interface Preview {
  readonly occurrences: readonly Span[];
  readonly silences: Coverage;
}

/**
 * Returns the occurrences and silenced checks of an unsaved window. The window is validated as when
 * it is saved.
 */
async function previewWindow(
  { db, clock }: MaintenanceContext,
  { accountId }: Caller,
  input: WindowInput,
): Promise<Preview> {
  assertSound(input);
  await assertExist(db, accountId, { now: input, before: null });
  const labelled = await loadLabelled(db, accountId, [input.schedule]);
  const fromMs = clock.now().getTime();
  const span = { fromMs, toMs: maxTimeMs, limit: maxPreviewed };
  return {
    occurrences: listOccurrences(input.schedule, span),
    silences: describeCoverage(input.schedule, labelled),
  };
}

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

/** Checks that a window silences. */
interface Coverage {
  readonly isEverything: boolean;
  /** Number of distinct checks that the window silences. */
  readonly checkCount: number;
  readonly tags: readonly { readonly tag: string; readonly checkCount: number }[];
  readonly groups: readonly {
    readonly id: number;
    /** Name of the group; `null` if the group was deleted. */
    readonly name: string | null;
    readonly checkCount: number;
  }[];
  readonly checks: readonly {
    readonly id: string;
    /** Name of the check; `null` if the check was deleted. */
    readonly name: string | null;
  }[];
}

/** Labels of the checks of an account. They decide which checks a window silences. */
interface Labelled {
  readonly sets: readonly LabelSet[];
  /** Checks that the windows name by id. */
  readonly checks: readonly LabelledCheck[];
  readonly groupNames: ReadonlyMap<number, string>;
}

function count(sets: readonly LabelSet[], isMatch: (set: LabelSet) => boolean): number {
  return sets.reduce((sum, set) => (isMatch(set) ? sum + set.count : sum), 0);
}

function describeCoverage(window: MaintenanceWindow, labelled: Labelled): Coverage {
  const { sets, groupNames } = labelled;
  const { checkIds = [], groupIds = [], tags, silenceAlertsTags } = window;
  const byRule = { ...window, checkIds: [] };
  const isCovered = (set: Pick<LabelSet, "tags" | "groupId">) =>
    appliesTo(byRule, { checkId: "", groupId: set.groupId, tags: set.tags });
  const named = labelled.checks.filter(({ id }) => checkIds.includes(id));
  const byId = new Map(named.map((check) => [check.id, check]));
  return {
    isEverything: window.silenceAllAlerts || window.pauseAllChecks,
    checkCount: count(sets, isCovered) + named.filter((check) => !isCovered(check)).length,
    tags: [...new Set([...tags, ...silenceAlertsTags])].map((tag) => ({
      tag,
      checkCount: count(sets, (set) => set.tags.includes(tag)),
    })),
    groups: groupIds.map((id) => ({
      id,
      name: groupNames.get(id) ?? null,
      checkCount: count(sets, ({ groupId }) => groupId === id),
    })),
    checks: checkIds.map((id) => ({ id, name: byId.get(id)?.name ?? null })),
  };
}
