/**
 * Opens and resolves incidents in the transaction that decides on the alert. Each incident has a
 * savepoint: if the incident cannot be written, the alert is still sent and the incident becomes
 * *owed*, which means that a database row requests a retry. If many checks fail at the same time,
 * only the first incidents are written with the alerts and the remaining incidents become owed.
 */

import { type AlertMessage, renderTemplate } from "../../channels/alert-channels/index.ts";
import type { TriggerIncident } from "../../checks/checks/index.ts";
import { type Database, inSavepoint } from "../../platform/database.ts";
import { clearQuarantine } from "../../platform/quarantine.ts";
import { clipText, toShortLine } from "../../platform/text/clip.ts";
import { listServicesByIds } from "../../sites/status-pages/index.ts";
import { openAutomaticIncident, resolveAutomaticIncident } from "../incidents/index.ts";
import {
  isInWindow,
  listSuppressingWindows,
  type SuppressingWindow,
  suppressesIncidentsOf,
} from "../maintenance/index.ts";
import type { Alert } from "./alert-decision.ts";
import type { AlertMessages, OutgoingAlert } from "./alert-message.ts";
import { type AlertRules, findHold } from "./alert-rules.ts";
import { type AlertState, findAlertedPhase, isAlertCurrent } from "./alert-state.ts";
import type { DeciderContext } from "./context.ts";
import {
  deleteOwedIncident,
  lockAlertStates,
  lockDueOwed,
  type OwedIncident,
  owedWork,
  saveOwedIncident,
} from "./decider-store.ts";
import { loadDecisionSnapshot, rulesFor } from "./decision-snapshot.ts";

/** How an alert affects the automatic incident of its check. */
type IncidentVerdict =
  | { readonly kind: "open"; readonly trigger: TriggerIncident }
  | { readonly kind: "resolve"; readonly trigger: TriggerIncident }
  | { readonly kind: "leave"; readonly reason: "not-configured" | "repeat" | "no-failure" };

/**
 * Decides how an alert affects the incident of its check. Only a failure opens an incident, whether
 * or not the check was degraded before. Missing data and degraded runs open no incident, and an
 * improvement to degraded does not resolve an incident.
 */
export function decideIncident(
  alert: Pick<Alert, "kind" | "reason" | "isReminder">,
  trigger: TriggerIncident | null,
): IncidentVerdict {
  if (trigger === null) return { kind: "leave", reason: "not-configured" };
  if (alert.isReminder || alert.reason === "escalation-stage-due") {
    return { kind: "leave", reason: "repeat" };
  }
  switch (alert.kind) {
    case "ALERT_FAILURE":
    case "ALERT_DEGRADED_FAILURE":
      return { kind: "open", trigger };
    case "ALERT_RECOVERY":
    case "ALERT_DEGRADED_RECOVERY":
      return { kind: "resolve", trigger };
    default:
      return { kind: "leave", reason: "no-failure" };
  }
}

/** What to do with an incident that was not opened or resolved together with its alert. */
type OwedVerdict = "do" | "wait" | "drop";

export function decideOwed(
  owed: { readonly action: "OPEN" | "RESOLVE"; readonly alertNumber: number },
  state: AlertState | undefined,
  now: { readonly atMs: number; readonly rules: AlertRules },
): OwedVerdict {
  if (state === undefined || state.alertNumber !== owed.alertNumber) return "drop";
  if (owed.action === "RESOLVE") return state.alertedKind === null ? "do" : "drop";
  if (state.alertedKind === null) return "drop";
  // If the alert is open but the check is not failing now, wait instead of dropping the incident.
  // The check may fail again before it recovers, as part of the same problem.
  const isFailing = findAlertedPhase(state) === "failing" && isAlertCurrent(state);
  const isHeld = findHold(now.rules, [now.atMs]) !== null || state.isFlapping;
  return isFailing && !isHeld ? "do" : "wait";
}

const maxNameLength = 255;
const maxDescriptionLength = 20_000;

interface IncidentText {
  readonly name: string;
  readonly description: string;
}

/**
 * Renders the name and the description of an incident from the templates. The title or reason of
 * the alert replaces a template that fails or renders to an empty string.
 */
export function writeIncidentText(
  trigger: Pick<TriggerIncident, "name" | "description">,
  message: AlertMessage,
): IncidentText {
  const name = renderTemplate(trigger.name, message, "plain");
  const shortName = toShortLine(name.kind === "rendered" ? name.text : "", maxNameLength);
  const description = renderTemplate(trigger.description, message, "markdown");
  const body = description.kind === "rendered" ? description.text.trim() : "";
  return {
    name: shortName === "" ? toShortLine(message.title, maxNameLength) : shortName,
    description: clipText(body === "" ? message.reason : body, maxDescriptionLength),
  };
}

/**
 * Text of the last update of an automatic incident. The text is public, but the name of the check
 * may be private, so the text does not contain the name.
 */
const resolvedDescription = "The problem is resolved: the checks pass again.";

/** Retry interval and maximum number of attempts of an owed incident. */
const retryMs = 60_000;
const maxAttempts = 60;
/**
 * Maximum time that writing an incident waits for a lock, for example of a person who edits the
 * incident. The alerts wait too.
 */
const lockTimeoutMs = 2_000;
/**
 * Maximum number of incidents written in the transaction of the alerts. Writing an incident takes
 * ten times as long as deciding on an alert.
 */
const maxWithAlerts = 20;
export const owedBatch = 20;

interface Step {
  readonly owed: OwedIncident;
  readonly trigger: TriggerIncident;
  readonly at: Date;
}

/**
 * Caches the maintenance windows of each account. They are loaded when the first incident of the
 * account would open.
 */
class Suppression {
  readonly #db: Database;
  readonly #windows = new Map<string, readonly SuppressingWindow[]>();

  constructor(db: Database) {
    this.#db = db;
  }

  async isOn({ owed, trigger, at }: Step): Promise<boolean> {
    if (owed.action !== "OPEN") return false;
    const { accountId } = owed;
    const windows =
      this.#windows.get(accountId) ?? (await listSuppressingWindows(this.#db, accountId));
    this.#windows.set(accountId, windows);
    return windows.some(
      ({ schedule, visibility }) =>
        suppressesIncidentsOf(visibility, trigger.serviceId) && isInWindow(schedule, at.getTime()),
    );
  }
}

/** Opens or resolves an incident, and returns its id; `null` if nothing had to be done. */
function apply(db: Database, { owed, trigger, at }: Step): Promise<string | null> {
  const { checkId, accountId, alertNumber, name, description } = owed;
  const { notifySubscribers, severity, serviceId } = trigger;
  if (owed.action === "RESOLVE") {
    const end = { checkId, description, notifySubscribers, at };
    return resolveAutomaticIncident(db, accountId, end);
  }
  const text = { name, description };
  const origin = { checkId, alertNumber, serviceId, severity, notifySubscribers, at };
  return openAutomaticIncident(db, accountId, { ...text, ...origin });
}

type Applied =
  | { readonly kind: "done"; readonly incidentId: string | null }
  | { readonly kind: "held" }
  | { readonly kind: "failed"; readonly error: unknown };

/** Logs a warning if no incident was opened because its service was deleted. */
async function reportMissingService({ db, log }: DeciderContext, step: Step): Promise<void> {
  const { checkId, accountId } = step.owed;
  const { serviceId } = step.trigger;
  if ((await listServicesByIds(db, accountId, [serviceId])).length > 0) return;
  log.warn({ checkId, serviceId }, "incident not opened because its service was deleted");
}

async function tryToApply(db: Database, step: Step, suppression: Suppression): Promise<Applied> {
  try {
    return await inSavepoint(db, { lockTimeoutMs }, async () => {
      if (await suppression.isOn(step)) return { kind: "held" };
      return { kind: "done", incidentId: await apply(db, step) };
    });
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function follow(
  context: DeciderContext,
  step: Step,
  suppression: Suppression,
): Promise<void> {
  const { db, clock, log } = context;
  const { owed } = step;
  const { checkId, action } = owed;
  const laterAt = new Date(clock.now().getTime() + retryMs);
  const applied = await tryToApply(db, step, suppression);
  if (applied.kind === "held") return saveOwedIncident(db, owed, laterAt);
  if (applied.kind === "done") {
    const isUnopened = action === "OPEN" && applied.incidentId === null;
    if (isUnopened) await reportMissingService(context, step);
    return deleteOwedIncident(db, checkId);
  }
  const { error } = applied;
  const attempts = owed.attempts + 1;
  log.warn({ err: error, checkId, action, attempts }, "could not update the incident of an alert");
  if (attempts >= maxAttempts) return deleteOwedIncident(db, checkId);
  return saveOwedIncident(db, { ...owed, attempts }, laterAt);
}

/** Returns how an alert affects the incident of its check; `null` if the alert has no effect. */
function planStep(outgoing: OutgoingAlert, messages: AlertMessages): Step | null {
  const { watched, alert } = outgoing;
  const { checkId, accountId } = watched;
  const verdict = decideIncident(alert, watched.settings.triggerIncident);
  if (verdict.kind === "leave") return null;
  const { trigger } = verdict;
  const origin = { checkId, accountId, alertNumber: alert.alertNumber, attempts: 0 };
  const at = new Date(alert.atMs);
  if (verdict.kind === "resolve") {
    const end = { action: "RESOLVE", name: "", description: resolvedDescription } as const;
    return { owed: { ...origin, ...end }, trigger, at };
  }
  const message = { ...messages.get(outgoing), idempotencyKey: outgoing.id };
  const text = writeIncidentText(trigger, message);
  return { owed: { ...origin, ...text, action: "OPEN" }, trigger, at };
}

/** Opens and resolves the incidents of alerts that are about to be sent. */
export async function followWithIncidents(
  context: DeciderContext,
  alerts: readonly OutgoingAlert[],
  messages: AlertMessages,
): Promise<void> {
  const { db, clock } = context;
  const suppression = new Suppression(db);
  let count = 0;
  for (const outgoing of alerts) {
    const step = planStep(outgoing, messages);
    if (step === null) continue;
    count += 1;
    if (count <= maxWithAlerts) await follow(context, step, suppression);
    else await saveOwedIncident(db, step.owed, clock.now());
  }
}

/** Processes due owed incidents of one check or of all checks. Returns their number. */
export async function settleSomeOwed(
  context: DeciderContext,
  checkId: string | null,
): Promise<number> {
  const { db, clock } = context;
  const at = clock.now();
  const due = await lockDueOwed(db, { now: at, limit: owedBatch, checkId });
  if (due.length === 0) return 0;
  const checkIds = due.map(({ checkId }) => checkId);
  const snapshot = await loadDecisionSnapshot(context, checkIds);
  const states = await lockAlertStates(db, checkIds);
  const suppression = new Suppression(db);
  for (const owed of due) {
    const watched = snapshot.watched.get(owed.checkId);
    const trigger = watched?.settings.triggerIncident ?? null;
    const verdict =
      watched === undefined || trigger === null
        ? "drop"
        : decideOwed(owed, states.get(owed.checkId), {
            atMs: at.getTime(),
            rules: rulesFor(snapshot, watched),
          });
    if (verdict === "drop" || trigger === null) await deleteOwedIncident(db, owed.checkId);
    else if (verdict === "do") await follow(context, { owed, trigger, at }, suppression);
    else await saveOwedIncident(db, owed, new Date(at.getTime() + retryMs));
  }
  await clearQuarantine(db, owedWork, checkIds);
  return due.length;
}
