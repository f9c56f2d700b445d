import { type Database, runSql } from "../../../platform/database.ts";
import type { AlertState } from "../alert-state.ts";
import { type AlertRecord, recordColumns } from "../notifications/store.ts";

/**
 * Status of a problem in the history of alerts:
 * - open: no recovery was sent yet
 * - recovered: a recovery was sent
 * - ended: the check was deleted, so no recovery can be sent
 * - held: no alert was sent
 * - notice: the alert is about a certificate, which has no recovery
 */
export type StoryStatus = "open" | "recovered" | "ended" | "held" | "notice";

const recoveryKinds: readonly string[] = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"];

const isRecovery = ({ kind }: Pick<AlertRecord, "kind">) => recoveryKinds.includes(kind);
export const isHeld = ({ heldKind }: Pick<AlertRecord, "heldKind">) => heldKind !== null;
const isNotice = ({ kind }: Pick<AlertRecord, "kind">) => kind === "ALERT_SSL";

export interface StoryTimes {
  readonly startedAt: Date | null;
  readonly openedAt: Date | null;
  readonly recoveredAt: Date | null;
}

/** Returns when the problem began, when the first alert was sent and when the recovery was sent. */
export function findTimes(decisions: readonly AlertRecord[]): StoryTimes {
  const sent = decisions.filter((one) => !isHeld(one));
  const recovery = sent.findLast(isRecovery);
  const began = decisions.map((one) => one.startedAt).filter((one) => one !== null);
  return {
    startedAt: began.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null,
    openedAt: sent[0]?.at ?? null,
    recoveredAt: recovery?.at ?? null,
  };
}

export function decideStatus(decisions: readonly AlertRecord[], isOpen: boolean): StoryStatus {
  if (decisions.every(isHeld)) return "held";
  if (decisions.some(isNotice)) return "notice";
  if (isOpen) return "open";
  return decisions.some(isRecovery) ? "recovered" : "ended";
}

const isSent = `a.kind not in ('NO_ALERT', 'ALERT_SSL')`;

/**
 * Only this many of the oldest and of the newest decisions about a problem are listed. Most of the
 * decisions in between are reminders.
 */
const firstShown = 50;
const lastShown = 150;

export async function findAlertRecord(
  db: Database,
  accountId: string,
  id: string,
): Promise<AlertRecord | null> {
  const rows = await runSql<AlertRecord>(
    db,
    `select ${recordColumns} from alerts a left join checks_with_period c on c.id = a.check_id
      where a.id = $1 and a.account_id = $2`,
    [id, accountId],
  );
  return rows[0] ?? null;
}

type Sent = Pick<AlertRecord, "id" | "kind" | "alertNumber" | "startedAt">;
const sentColumns = `a.id, a.kind, a.alert_number as "alertNumber", a.started_at as "startedAt"`;

async function findSentBefore(db: Database, checkId: string, id: string): Promise<Sent | null> {
  const rows = await runSql<Sent>(
    db,
    `select ${sentColumns} from alerts a
      where a.check_id = $1 and a.id < $2 and ${isSent} order by a.id desc limit 1`,
    [checkId, id],
  );
  return rows[0] ?? null;
}

async function findSentAfter(db: Database, checkId: string, id: string): Promise<Sent | null> {
  const rows = await runSql<Sent>(
    db,
    `select ${sentColumns} from alerts a
      where a.check_id = $1 and a.id > $2 and ${isSent} order by a.id limit 1`,
    [checkId, id],
  );
  return rows[0] ?? null;
}

async function findEnds(
  db: Database,
  checkId: string,
  alertNumber: number,
): Promise<{ readonly first: Sent; readonly last: Sent } | null> {
  const rows = await runSql<Sent>(
    db,
    `(select ${sentColumns} from alerts a where a.check_id = $1
        and a.alert_number = $2 and ${isSent} order by a.id limit 1)
      union all
      (select ${sentColumns} from alerts a where a.check_id = $1
        and a.alert_number = $2 and ${isSent} order by a.id desc limit 1)`,
    [checkId, alertNumber],
  );
  const [first, last = first] = rows;
  return first === undefined || last === undefined ? null : { first, last };
}

/** Returns the alert number of the problem; `null` if no alert about the problem was sent. */
async function findNumber(db: Database, alert: AlertRecord): Promise<number | null> {
  if (!isHeld(alert)) return alert.alertNumber;
  const before = await findSentBefore(db, alert.checkId, alert.id);
  if (before !== null && !isRecovery(before)) return before.alertNumber;
  const after = await findSentAfter(db, alert.checkId, alert.id);
  const began = after?.startedAt ?? null;
  return after !== null && began !== null && began <= alert.at ? after.alertNumber : null;
}

export interface StoryRows {
  readonly decisions: readonly AlertRecord[];
  readonly total: number;
}

interface Span {
  readonly checkId: string;
  readonly afterId: string | null;
  readonly untilId: string | null;
  readonly from: Date | null;
  /** If set, the list contains only held alerts about the state that began at this time. */
  readonly heldSince: Date | null;
}

async function listSpan(
  db: Database,
  accountId: string,
  { checkId, ...span }: Span,
): Promise<StoryRows> {
  const { afterId, untilId, from, heldSince } = span;
  const rows = await runSql<AlertRecord & { readonly total: number }>(
    db,
    `select ${recordColumns}, b.total from (
        select id, row_number() over (order by id) as place, count(*) over () as total
        from alerts where check_id = $1 and account_id = $2 and kind <> 'ALERT_SSL'
          and ($3::uuid is null or id > $3) and ($4::uuid is null or id <= $4)
          and ($5::timestamptz is null or kind <> 'NO_ALERT' or at >= $5)
          and ($6::timestamptz is null or (kind = 'NO_ALERT' and started_at = $6))) b
      join alerts a on a.id = b.id left join checks_with_period c on c.id = a.check_id
      where b.place <= $7 or b.place > b.total - $8 order by b.place`,
    [checkId, accountId, afterId, untilId, from, heldSince, firstShown, lastShown],
  );
  const decisions = rows.map(({ total: _total, ...record }) => record);
  return { decisions, total: Number(rows[0]?.total ?? 0) };
}

/**
 * Lists all decisions about a problem, from the first held or sent alert to the recovery. The alert
 * number does not identify the first decisions: an alert that is held before the first alert is
 * sent still has the number of the previous problem.
 */
export async function listStory(
  db: Database,
  accountId: string,
  alert: AlertRecord,
): Promise<StoryRows> {
  const { checkId } = alert;
  const alone = { decisions: [alert], total: 1 };
  if (isNotice(alert)) return alone;
  const number = await findNumber(db, alert);
  if (number === null) {
    if (alert.startedAt === null) return alone;
    const before = await findSentBefore(db, checkId, alert.id);
    const after = await findSentAfter(db, checkId, alert.id);
    const bounds = { checkId, afterId: before?.id ?? null, untilId: after?.id ?? null };
    return listSpan(db, accountId, { ...bounds, from: null, heldSince: alert.startedAt });
  }
  const ends = await findEnds(db, checkId, number);
  if (ends === null) return alone;
  const { first, last } = ends;
  const before = await findSentBefore(db, checkId, first.id);
  const next = isRecovery(last) ? last : await findSentAfter(db, checkId, last.id);
  // A problem without a recovery is open until now. If a newer problem of the check exists
  // nevertheless, the alert state of the older problem was lost. The older problem then ends with
  // its own last alert.
  const untilId = next === null ? null : last.id;
  const bounds = { checkId, afterId: before?.id ?? null, untilId };
  return listSpan(db, accountId, { ...bounds, from: first.startedAt, heldSince: null });
}

export interface StoredAcknowledgement {
  readonly at: Date;
  readonly by: string;
}

export async function findAcknowledgement(
  db: Database,
  accountId: string,
  { checkId, alertNumber }: Pick<AlertRecord, "checkId" | "alertNumber">,
): Promise<StoredAcknowledgement | null> {
  const rows = await runSql<StoredAcknowledgement>(
    db,
    `select at, actor_name as by from alert_acknowledgements where check_id = $1
      and alert_number = $2 and account_id = $3`,
    [checkId, alertNumber, accountId],
  );
  return rows[0] ?? null;
}

/** Returns the alert state of a check; `null` if the check was deleted or never evaluated. */
export async function findAlertState(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<AlertState | null> {
  const rows = await runSql<{ state: AlertState }>(
    db,
    "select state from alert_states where check_id = $1 and account_id = $2",
    [checkId, accountId],
  );
  return rows[0]?.state ?? null;
}
