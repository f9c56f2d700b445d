import {
  type AuditActor,
  type Caller,
  writeAuditEntries,
  writeAuditEntry,
} from "../../../access/accounts/index.ts";
import { loadReaches } from "../../../channels/alert-channels/index.ts";
import { getCheck, mapCheckNames } from "../../../checks/checks/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { writeCount } from "../../../platform/text/figures.ts";
import { type Acknowledgeable, readAcknowledgeToken } from "../alert-message.ts";
import { acknowledgeAlert } from "../alert-state.ts";
import type { AlertingContext } from "../context.ts";
import { saveAlertState } from "../decider-store.ts";
import { cancelAcknowledged, listOpenCheckIds } from "../pages/page-store.ts";
import { findDeliveryAccount, listGroupedAlerts } from "../pages/storm-store.ts";
import {
  type AcknowledgeableState,
  describeProblem,
  findFirstAlertId,
  insertAcknowledgement,
  listOpenAlertStates,
  lockAlertState,
  lockManyStates,
  type OpenAlertState,
  saveManyAcknowledged,
} from "./store.ts";

export interface Acknowledgement {
  readonly checkId: string;
  readonly checkName: string;
  readonly alertNumber: number;
  readonly acknowledgedAt: Date;
}

const nothingOpen = () => conflict("there is no open alert to acknowledge");

async function acknowledge(
  context: AlertingContext,
  about: { readonly checkId: string; readonly alertNumber: number | null },
  who: (known: AcknowledgeableState) => AuditActor | Promise<AuditActor>,
): Promise<Acknowledgement> {
  const { checkId } = about;
  const now = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const known = await lockAlertState(db, null, checkId);
    // The check has no alert state, so it never had an alert.
    if (known === null) throw about.alertNumber === null ? nothingOpen() : notFound();
    const actor = await who(known);
    if (actor.accountId !== known.accountId) throw notFound();
    const { state, accountId, checkName } = known;
    const alertNumber = about.alertNumber ?? state.alertNumber;
    const next = acknowledgeAlert(state, { alertNumber, atMs: now.getTime(), by: actor.label });
    const isOpen = next.alertedKind !== null && next.alertNumber === alertNumber;
    if (!isOpen || next.acknowledgedAtMs === null) {
      throw nothingOpen();
    }
    if (next !== state) {
      await saveAlertState(db, accountId, { checkId, state: next, now });
      const done = { checkId, alertNumber, at: now, by: actor.label };
      await insertAcknowledgement(db, accountId, done);
      await cancelAcknowledged(db, [done], done);
      const changes = { name: checkName, alertNumber };
      const action = "alert.acknowledged";
      await writeAuditEntry(db, actor, { action, targetId: checkId, changes, at: now });
    }
    const acknowledgedAt = new Date(next.acknowledgedAtMs);
    return { checkId, checkName, alertNumber, acknowledgedAt };
  });
}

/** Acknowledges a check's open alert. Reminders and escalation stop until the check recovers. */
export async function acknowledgeCheck(
  context: AlertingContext,
  caller: Caller,
  checkId: string,
): Promise<Acknowledgement> {
  await getCheck(context, caller, checkId);
  return acknowledge(context, { checkId, alertNumber: null }, () => caller);
}

export interface ManyAcknowledged {
  readonly checkId: string;
  /** Outcome for the check; `notOpen` if the check does not exist or has no open alert. */
  readonly outcome: "acknowledged" | "unchanged" | "notOpen";
}

/** Acknowledges the open alerts of many checks in one transaction. */
export function acknowledgeMany(
  context: AlertingContext,
  caller: Caller,
  ids: readonly string[],
): Promise<ManyAcknowledged[]> {
  const checks = new Map(ids.map((id) => [id.toLowerCase(), null]));
  return acknowledgeAll(context, caller, checks);
}

/**
 * Acknowledges alerts by the id of their check. If a number is given, a later alert of the check is
 * not acknowledged.
 */
async function acknowledgeAll(
  context: AlertingContext,
  actor: AuditActor,
  alerts: ReadonlyMap<string, number | null>,
): Promise<ManyAcknowledged[]> {
  const checkIds = [...alerts.keys()];
  const at = context.clock.now();
  const { accountId, label: by } = actor;
  return inTransaction(context.db, async (db) => {
    const known = await lockManyStates(db, accountId, checkIds);
    const isMeant = ({ checkId, state }: (typeof known)[number]) =>
      (alerts.get(checkId) ?? state.alertNumber) === state.alertNumber;
    const decided = known.filter(isMeant).map(({ checkId, state }) => {
      const { alertNumber } = state;
      const next = acknowledgeAlert(state, { alertNumber, atMs: at.getTime(), by });
      return { checkId, alertNumber, state: next, isNew: next !== state };
    });
    const fresh = decided.filter(({ isNew }) => isNew);
    await saveManyAcknowledged(db, accountId, { fresh, at, by });
    await cancelAcknowledged(db, fresh, { at, by });
    const names = await mapCheckNames(
      db,
      accountId,
      fresh.map(({ checkId }) => checkId),
    );
    await writeAuditEntries(
      db,
      actor,
      fresh.map(({ checkId: targetId, alertNumber }) => {
        const changes = { name: names.get(targetId), alertNumber };
        return { action: "alert.acknowledged", targetId, changes, at };
      }),
    );
    const found = new Map(decided.map((one) => [one.checkId, one]));
    return checkIds.map((checkId) => {
      const one = found.get(checkId);
      if (one === undefined || one.state.alertedKind === null) {
        return { checkId, outcome: "notOpen" };
      }
      return { checkId, outcome: one.isNew ? "acknowledged" : "unchanged" };
    });
  });
}

/** Lists open alerts, oldest first. */
export function listOpenAlerts(
  context: Pick<AlertingContext, "db">,
  caller: Pick<Caller, "accountId">,
  query: { readonly checkId?: string | undefined; readonly limit: number },
): Promise<OpenAlertState[]> {
  return listOpenAlertStates(context.db, caller.accountId, query);
}

/** Returns the account of the alerts of a link; `null` if they are no longer stored. */
export async function findLinkAccount(
  { db }: Pick<AlertingContext, "db">,
  { checkId, newestId }: Acknowledgeable,
): Promise<string | null> {
  if (newestId) return findDeliveryAccount(db, newestId);
  const known = await inTransaction(db, (tx) => lockAlertState(tx, null, checkId));
  return known?.accountId ?? null;
}

export function readToken(context: AlertingContext, token: string): Acknowledgeable {
  const about = readAcknowledgeToken(context, token);
  if (about === null) throw notFound();
  return about;
}

/** Returns the path of the alert page; if the alert is no longer stored, of the check page. */
export async function findAlertPath(
  db: Database,
  accountId: string,
  about: Acknowledgeable,
): Promise<string> {
  const alertId = await findFirstAlertId(db, accountId, about);
  return alertId === null ? `/checks/${about.checkId}` : `/alerts/${alertId}`;
}

/** Origin of a response through a link in a message or through a phone call, for the audit log. */
export interface LinkOrigin {
  readonly address: string;
  readonly requestId: string;
  /** How the person responded, such as "a call to Anna"; missing for a link in a message. */
  readonly label?: string;
}

/** Returns the actor for the audit log. Its name includes the member who received the link. */
export async function describeLinkActor(
  context: Parameters<typeof loadReaches>[0],
  { accountId }: Pick<AcknowledgeableState, "accountId">,
  { userId, origin }: { readonly userId?: string | null | undefined; readonly origin: LinkOrigin },
): Promise<AuditActor> {
  const { label = "a link in a message", ...request } = origin;
  const reaches = await loadReaches(context, accountId, userId ? [userId] : []);
  const member = reaches.get(userId ?? "");
  const name = member === undefined ? label : `${toShortLine(member.name, 100)}, by ${label}`;
  return { type: "SYSTEM", credentialId: null, label: name, accountId, ...request };
}

/** What a person acknowledged through a link. */
interface AcknowledgedByLink {
  /** Name of the check, or the number of checks such as "56 checks". */
  readonly checkName: string;
  readonly alertPath: string;
  /** Whether the link is about all alerts of a message. */
  readonly isGroup?: boolean;
}

/**
 * Acknowledges the alert of an acknowledge link, or all alerts of its message. Anyone who has the
 * link may acknowledge.
 */
export async function acknowledgeByLink(
  context: AlertingContext & Parameters<typeof loadReaches>[0],
  token: string,
  origin: LinkOrigin,
): Promise<AcknowledgedByLink> {
  const about = readToken(context, token);
  const { userId, newestId } = about;
  if (newestId) return acknowledgeGroup(context, { ...about, newestId }, origin);
  let owner = "";
  const done = await acknowledge(context, about, (known) => {
    owner = known.accountId;
    return describeLinkActor(context, known, { userId, origin });
  });
  return { ...done, alertPath: await findAlertPath(context.db, owner, about) };
}

type GroupLink = Acknowledgeable & { readonly newestId: string };

const nameGroup = (alerts: readonly unknown[]) => ({
  checkName: writeCount(alerts.length, "check"),
  alertPath: "/alerts",
  isGroup: true,
});

/** Acknowledges all alerts of a message. */
async function acknowledgeGroup(
  context: AlertingContext & Parameters<typeof loadReaches>[0],
  about: GroupLink,
  origin: LinkOrigin,
): Promise<AcknowledgedByLink> {
  const accountId = await findLinkAccount(context, about);
  if (accountId === null) throw notFound();
  const { newestId, userId } = about;
  const alerts = await listGroupedAlerts(context.db, newestId);
  const actor = await describeLinkActor(context, { accountId }, { userId, origin });
  const numbers = new Map(alerts.map((one) => [one.checkId, one.alertNumber]));
  const done = await acknowledgeAll(context, actor, numbers);
  if (done.every(({ outcome }) => outcome === "notOpen")) throw nothingOpen();
  return nameGroup(alerts);
}

async function previewGroup(context: AlertingContext, about: GroupLink): Promise<LinkPreview> {
  const accountId = await findLinkAccount(context, about);
  if (accountId === null) throw notFound();
  const alerts = await listGroupedAlerts(context.db, about.newestId);
  const paged = alerts.map((one) => ({ ...one, alertId: "", kind: "" }));
  const open = await listOpenCheckIds(context.db, paged);
  const problem = await describeProblem(context.db, accountId, alerts);
  return { ...nameGroup(alerts), ...problem, isOpen: open.size > 0 };
}

interface LinkPreview extends AcknowledgedByLink {
  readonly isOpen: boolean;
  /** Why the alert, or most of its group, was sent; empty if that is no longer stored. */
  readonly reason: string;
  readonly openedAt: Date | null;
}

export async function previewAcknowledgement(
  context: AlertingContext,
  token: string,
): Promise<LinkPreview> {
  const about = readToken(context, token);
  const { checkId, alertNumber, newestId } = about;
  if (newestId) return previewGroup(context, { ...about, newestId });
  const known = await inTransaction(context.db, (db) => lockAlertState(db, null, checkId));
  if (known === null) throw notFound();
  const { state, checkName, accountId } = known;
  const isOpen =
    state.alertedKind !== null &&
    state.alertNumber === alertNumber &&
    state.acknowledgedAtMs === null;
  const problem = await describeProblem(context.db, accountId, [about]);
  const alertPath = await findAlertPath(context.db, accountId, about);
  return { checkName, isOpen, ...problem, alertPath };
}
