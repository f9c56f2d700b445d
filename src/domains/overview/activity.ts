import type { AuditEntry } from "../accounts/index.ts";
import type { MaintenanceOccurrence } from "../maintenance/index.ts";
import type { StateChangeRecord } from "../states/index.ts";

export interface Activity {
  readonly type: "state" | "maintenance" | "edit";
  readonly at: Date;
  readonly checkId: string | null;
  /** Name of the check, the window or the edited object; `null` if it was deleted or has none. */
  readonly name: string | null;
  /** A state, `started` or `ended`, or the action of the audit log. */
  readonly what: string;
  /** The previous state; `null` if there is none. */
  readonly before: string | null;
  /** Who did it; `null` if nobody. */
  readonly actor: string | null;
}

/** Actions without an effect that others see, such as signing in, are omitted. */
const unseenActions = /^(?:session|user|agent-action|check-session)\.|^check\.tried$/;

interface ActivitySources {
  readonly states: readonly StateChangeRecord[];
  readonly moments: readonly MaintenanceOccurrence[];
  readonly edits: readonly AuditEntry[];
  readonly names: ReadonlyMap<string, string>;
  readonly span: { readonly fromMs: number; readonly toMs: number };
}

/** A first passing result is not listed, and neither is one after missing data. */
const isRelevant = ({ from, to }: StateChangeRecord) => !(from === "unknown" && to === "passing");

function describeEdit(entry: AuditEntry, names: ActivitySources["names"]): Activity {
  const { action, target, changes, at, actor } = entry;
  const isCheck = target.type === "check";
  // A dashboard has a header instead of a name, and a variable is identified by its key.
  const key = target.type === "variable" ? target.id : null;
  const noted = [changes.name, changes.header, key].find((one) => typeof one === "string") ?? null;
  return {
    type: "edit",
    at,
    checkId: isCheck && names.has(target.id) ? target.id : null,
    name: names.get(target.id) ?? noted,
    what: action,
    before: null,
    actor: actor.name,
  };
}

function listMaintenance({ moments, span }: ActivitySources): Activity[] {
  const within = (ms: number) => ms >= span.fromMs && ms < span.toMs;
  return moments.flatMap(({ name, startsAtMs, endsAtMs }) => {
    const about = { type: "maintenance", checkId: null, name, before: null, actor: null } as const;
    return [
      ...(within(startsAtMs) ? [{ ...about, at: new Date(startsAtMs), what: "started" }] : []),
      ...(within(endsAtMs) ? [{ ...about, at: new Date(endsAtMs), what: "ended" }] : []),
    ];
  });
}

const byNewest = (one: Activity, other: Activity) => other.at.getTime() - one.at.getTime();

/**
 * Truncates the list so that neither edits nor other events displace the rest: each gets at least
 * half of the entries it can fill.
 */
function shareLimit(events: readonly Activity[], edits: readonly Activity[], limit: number) {
  const editCount = Math.min(edits.length, Math.max(Math.floor(limit / 2), limit - events.length));
  const shown = events.toSorted(byNewest).slice(0, limit - editCount);
  return [...shown, ...edits.toSorted(byNewest).slice(0, editCount)].sort(byNewest);
}

/** Merges all activity into one list, newest first. */
export function joinActivities(sources: ActivitySources, limit: number): Activity[] {
  const states = sources.states.filter(isRelevant).map(
    (one): Activity => ({
      type: "state",
      at: one.at,
      checkId: one.name === null ? null : one.checkId,
      name: one.name,
      what: one.to,
      before: one.from,
      actor: null,
    }),
  );
  const edits = sources.edits
    .filter(({ action }) => !unseenActions.test(action))
    .map((entry) => describeEdit(entry, sources.names));
  return shareLimit([...states, ...listMaintenance(sources)], edits, limit);
}
