import type { AuditEntry } from "../accounts/index.ts";
import type { MaintenanceMoment } from "../maintenance/index.ts";
import type { StateChangeRecord } from "../runs/index.ts";

export interface Activity {
  readonly type: "state" | "maintenance" | "edit";
  readonly at: Date;
  readonly checkId: string | null;
  /** Of the check, the window or the thing that was edited; null: it is gone or has none. */
  readonly name: string | null;
  /** A state, `started` or `ended`, or the action of the audit log. */
  readonly what: string;
  /** The state before; null where there is none. */
  readonly before: string | null;
  /** Who did it; null: nobody. */
  readonly actor: string | null;
}

/** Signing in and trying out change nothing that others see. */
const unseenActions = /^(?:session|user|agent-action|check-session)\.|^check\.tried$/;

interface Happened {
  readonly states: readonly StateChangeRecord[];
  readonly moments: readonly MaintenanceMoment[];
  readonly edits: readonly AuditEntry[];
  readonly names: ReadonlyMap<string, string>;
  readonly span: { readonly fromMs: number; readonly toMs: number };
}

/** A first result is no news; neither is one after a silence that found nothing. */
const isNews = ({ from, to }: StateChangeRecord) => !(from === "unknown" && to === "passing");

function describeEdit(entry: AuditEntry, names: Happened["names"]): Activity {
  const { action, target, changes, at, actor } = entry;
  const isCheck = target.type === "check";
  // A dashboard has a heading where others have a name, and a variable is known by its key.
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

function listMoments({ moments, span }: Happened): Activity[] {
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
 * Cuts the list to its limit so that neither edits nor other events crowd out the rest: each of
 * them gets at least half of the places it can fill.
 */
function shareLimit(events: readonly Activity[], edits: readonly Activity[], limit: number) {
  const editCount = Math.min(edits.length, Math.max(Math.floor(limit / 2), limit - events.length));
  const kept = events.toSorted(byNewest).slice(0, limit - editCount);
  return [...kept, ...edits.toSorted(byNewest).slice(0, editCount)].sort(byNewest);
}

/** One list of all that happened, the newest first. */
export function joinActivities(happened: Happened, limit: number): Activity[] {
  const states = happened.states.filter(isNews).map(
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
  const edits = happened.edits
    .filter(({ action }) => !unseenActions.test(action))
    .map((entry) => describeEdit(entry, happened.names));
  return shareLimit([...states, ...listMoments(happened)], edits, limit);
}
