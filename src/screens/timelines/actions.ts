import {
  type Caller,
  listTargetChanges,
  mayReadAuditLog,
  type TargetChange,
} from "../../access/accounts/index.ts";
import { type Check, getCheck } from "../../checks/checks/index.ts";
import { invalid } from "../../platform/errors.ts";
import {
  type CheckAlert,
  type DeciderContext,
  listSentAlerts,
} from "../../response/alerting/index.ts";
import { type CheckIncident, listIncidentsOfCheck } from "../../response/incidents/index.ts";
import {
  appliesTo,
  type Labels,
  listOccurrences,
  listOwnWindows,
} from "../../response/maintenance/index.ts";
import { listMissedRuns, type MissedRuns } from "../../runs/results/index.ts";
import { listStateSpans, type StateSpan } from "../../runs/states/index.ts";
import type { Annotation } from "./annotation.ts";
import { listAnnotationsOfCheck } from "./annotation-store.ts";

export type TimelinesContext = Pick<
  DeciderContext,
  "db" | "clock" | "log" | "encryption" | "watchList"
>;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Occurrence extends Span {
  readonly id: number;
  readonly name: string;
}

export interface Timeline {
  readonly check: Check;
  readonly span: Span;
  readonly states: readonly StateSpan[];
  readonly incidents: readonly CheckIncident[];
  readonly maintenance: readonly Occurrence[];
  readonly alerts: readonly CheckAlert[];
  readonly edits: readonly TargetChange[];
  readonly annotations: readonly Annotation[];
  readonly missedRuns: readonly MissedRuns[];
  /** True if a list was truncated because it had too many entries. */
  readonly isTruncated: boolean;
}

const dayMs = 86_400_000;
const maxDays = 800;
/** Maximum number of entries in each list of a timeline, such as its incidents or alerts. */
const maxMarks = 200;
const maxWindows = 100;

/** Returns everything that the chart of a check shows besides its figures. */
export async function getTimeline(
  context: TimelinesContext,
  caller: Caller,
  request: {
    readonly checkId: string;
    readonly fromMs: number | null;
    readonly toMs: number | null;
  },
): Promise<Timeline> {
  const { db } = context;
  const { accountId } = caller;
  const check = await getCheck(context, caller, request.checkId);
  const span = decideSpan(request, context.clock.now().getTime());
  const from = new Date(span.fromMs);
  const to = new Date(span.toMs);
  const query = { from, to, limit: maxMarks + 1 };
  const { tags } = check.settings;
  const watched = (await context.watchList.find([check.id])).get(check.id);
  const labels = { checkId: check.id, groupId: check.settings.groupId };
  const allTags = watched?.settings.tags ?? tags;
  const [states, incidents, maintenance, alerts, edits, missedRuns, annotations] =
    await Promise.all([
      listStateSpans(context, check.id, span),
      listIncidentsOfCheck(db, accountId, { ...query, checkId: check.id, tags: allTags }),
      listMaintenance(context, caller, { ...span, check: { ...labels, tags: allTags } }),
      listSentAlerts(db, check.id, query),
      mayReadAuditLog(caller)
        ? listTargetChanges(db, accountId, { ...query, targetId: check.id })
        : [],
      listMissedRuns(db, check.id, query),
      listAnnotationsOfCheck(db, accountId, { ...query, checkId: check.id, tags: allTags }),
    ]);
  const isTruncated =
    states.isTruncated ||
    [incidents, maintenance, alerts, edits, missedRuns, annotations].some(
      (marks) => marks.length > maxMarks,
    );
  return {
    check,
    span,
    states: states.spans,
    incidents: incidents.slice(0, maxMarks),
    maintenance: maintenance.slice(0, maxMarks),
    alerts: alerts.slice(0, maxMarks),
    edits: edits.slice(0, maxMarks),
    missedRuns: missedRuns.slice(0, maxMarks),
    annotations: annotations.slice(0, maxMarks),
    isTruncated,
  };
}

function decideSpan(
  { fromMs, toMs }: { readonly fromMs: number | null; readonly toMs: number | null },
  nowMs: number,
): Span {
  const end = toMs ?? nowMs;
  const span = { fromMs: fromMs ?? end - dayMs, toMs: end };
  if (span.fromMs >= span.toMs) throw invalid("from", "must be before to", "querystring");
  if (span.toMs - span.fromMs > maxDays * dayMs) {
    throw invalid("from", `must be at most ${maxDays} days before to`, "querystring");
  }
  return span;
}

async function listMaintenance(
  context: TimelinesContext,
  caller: Caller,
  { fromMs, toMs, check }: Span & { readonly check: Labels },
): Promise<Occurrence[]> {
  const { windows } = await listOwnWindows(context, caller, { limit: maxWindows, page: 1 });
  return windows
    .filter(({ schedule }) => appliesTo(schedule, check))
    .flatMap(({ id, name, schedule }) =>
      listOccurrences(schedule, { fromMs, toMs, limit: maxMarks + 1 })
        .filter(({ startsAtMs }) => startsAtMs < toMs)
        .map((one) => ({ id, name, fromMs: one.startsAtMs, toMs: one.endsAtMs })),
    )
    .toSorted((one, other) => other.fromMs - one.fromMs);
}
