/**
 * Incidents that follow alerts, in the transaction of the decision. Each has a savepoint: whatever
 * goes wrong with an incident, the alert is told, and the incident is owed. So it is when a great
 * many checks fail at once: then only the first are written before the alerts go out.
 */
import type pg from "pg";
import { databaseOn } from "../../../platform/database.ts";
import { clearSetAside } from "../../../platform/set-aside.ts";
import type { TriggerIncident } from "../../checks/index.ts";
import { openAutomaticIncident, resolveAutomaticIncident } from "../../incidents/index.ts";
import {
  isInWindow,
  listSuppressingWindows,
  suppressesIncidentsOf,
  type VisibleWindow,
} from "../../maintenance/index.ts";
import { listServicesByIds } from "../../status-pages/index.ts";
import { composeMessage, type Told } from "../addressing.ts";
import type { AlertingContext } from "../context.ts";
import { lockAlertStates, owedWork, tryDeciderLock } from "../decider-store.ts";
import { loadDecisionWorld, rulesFor } from "../decision-world.ts";
import {
  decideIncident,
  decideOwed,
  resolvedDescription,
  writeIncidentText,
} from "./incident-decision.ts";
import {
  deleteOwedIncident,
  lockDueOwed,
  type OwedIncident,
  saveOwedIncident,
} from "./owed-incident-store.ts";

/** What is owed is tried again after this long, and so many times. */
const retryMs = 60_000;
const maxAttempts = 60;
/** Nobody who edits an incident may hold up the alerts for longer than this. */
const lockTimeoutMs = 2_000;
/** Writing one costs ten times what deciding on an alert does. */
const maxWithAlerts = 20;
export const owedBatch = 20;

interface Step {
  readonly owed: OwedIncident;
  readonly trigger: TriggerIncident;
  readonly at: Date;
}

/** Of each account, the windows are asked for once and only when an incident is to be opened. */
class Suppression {
  readonly #context: AlertingContext;
  readonly #windows = new Map<string, Promise<readonly VisibleWindow[]>>();

  constructor(context: AlertingContext) {
    this.#context = context;
  }

  async isOn({ owed, trigger, at }: Step): Promise<boolean> {
    if (owed.action !== "OPEN") return false;
    const { accountId } = owed;
    const asked =
      this.#windows.get(accountId) ?? listSuppressingWindows(this.#context.db, accountId);
    this.#windows.set(accountId, asked);
    return (await asked).some(
      ({ schedule, visibility }) =>
        suppressesIncidentsOf(visibility, trigger.serviceId) && isInWindow(schedule, at.getTime()),
    );
  }
}

/** The id of the incident that was opened or resolved; null when there was nothing to do. */
function apply(client: pg.PoolClient, { owed, trigger, at }: Step): Promise<string | null> {
  const { checkId, accountId, alertNumber, name, description } = owed;
  const { notifySubscribers, severity, serviceId } = trigger;
  if (owed.action === "RESOLVE") {
    const end = { checkId, description, notifySubscribers, at };
    return resolveAutomaticIncident(client, accountId, end);
  }
  const text = { name, description };
  const origin = { checkId, alertNumber, serviceId, severity, notifySubscribers, at };
  return openAutomaticIncident(client, accountId, { ...text, ...origin });
}

type Applied =
  | { readonly kind: "done"; readonly incidentId: string | null }
  | { readonly kind: "held" }
  | { readonly kind: "failed"; readonly error: unknown };

/** Null is an answer too: there is one already, or a person has it; but not if nobody can ever. */
async function sayIfServiceIsGone(context: AlertingContext, step: Step): Promise<void> {
  const { checkId, accountId } = step.owed;
  const { serviceId } = step.trigger;
  if ((await listServicesByIds(context.db, accountId, [serviceId])).length > 0) return;
  context.log.warn({ checkId, serviceId }, "an incident was not opened: its service is gone");
}

async function applyWithin(
  client: pg.PoolClient,
  step: Step,
  suppression: Suppression,
): Promise<Applied> {
  await client.query(`savepoint incident; set local lock_timeout = ${lockTimeoutMs}`);
  try {
    if (await suppression.isOn(step)) {
      await client.query("set local lock_timeout to default; release savepoint incident");
      return { kind: "held" };
    }
    const incidentId = await apply(client, step);
    await client.query("set local lock_timeout to default; release savepoint incident");
    return { kind: "done", incidentId };
  } catch (error) {
    // If the connection is gone this fails too, and with it the decision, which is made again.
    await client.query("rollback to savepoint incident; release savepoint incident");
    return { kind: "failed", error };
  }
}

async function follow(
  context: AlertingContext,
  client: pg.PoolClient,
  step: Step,
  suppression: Suppression,
): Promise<void> {
  const { owed } = step;
  const { checkId, action } = owed;
  const laterAt = new Date(context.clock.now().getTime() + retryMs);
  const applied = await applyWithin(client, step, suppression);
  if (applied.kind === "held") return saveOwedIncident(client, owed, laterAt);
  if (applied.kind === "done") {
    const isUnopened = action === "OPEN" && applied.incidentId === null;
    if (isUnopened) await sayIfServiceIsGone(context, step);
    return deleteOwedIncident(client, checkId);
  }
  const { error } = applied;
  const attempts = owed.attempts + 1;
  context.log.warn(
    { err: error, checkId, action, attempts },
    "an incident did not follow an alert",
  );
  if (attempts >= maxAttempts) return deleteOwedIncident(client, checkId);
  return saveOwedIncident(client, { ...owed, attempts }, laterAt);
}

/** What an alert asks of its check's incident, and in which words; null: nothing. */
async function planStep(context: AlertingContext, told: Told): Promise<Step | null> {
  const { watched, alert } = told;
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
  const message = await composeMessage(context, told);
  const text = writeIncidentText(trigger, { ...message, idempotencyKey: told.id });
  return { owed: { ...origin, ...text, action: "OPEN" }, trigger, at };
}

/** Opens and resolves the incidents of the alerts that are told. */
export async function followWithIncidents(
  context: AlertingContext,
  client: pg.PoolClient,
  told: readonly Told[],
): Promise<void> {
  const suppression = new Suppression(context);
  const now = context.clock.now();
  let count = 0;
  for (const one of told) {
    const step = await planStep(context, one);
    if (step === null) continue;
    count += 1;
    if (count <= maxWithAlerts) await follow(context, client, step, suppression);
    else await saveOwedIncident(client, step.owed, now);
  }
}

/** What is owed and due: of one check, or the oldest of all; says how many there were. */
export async function settleSomeOwed(
  context: AlertingContext,
  client: pg.PoolClient,
  checkId: string | null,
): Promise<number> {
  if (!(await tryDeciderLock(client))) return 0;
  const at = context.clock.now();
  const due = await lockDueOwed(client, { now: at, limit: owedBatch, checkId });
  if (due.length === 0) return 0;
  const checkIds = due.map(({ checkId }) => checkId);
  const world = await loadDecisionWorld(context, checkIds);
  const states = await lockAlertStates(client, checkIds);
  const suppression = new Suppression(context);
  for (const owed of due) {
    const watched = world.watched.get(owed.checkId);
    const trigger = watched?.settings.triggerIncident ?? null;
    const verdict =
      watched === undefined || trigger === null
        ? "drop"
        : decideOwed(owed, states.get(owed.checkId), {
            atMs: at.getTime(),
            rules: rulesFor(world, watched),
          });
    if (verdict === "drop" || trigger === null) await deleteOwedIncident(client, owed.checkId);
    else if (verdict === "do") await follow(context, client, { owed, trigger, at }, suppression);
    else await saveOwedIncident(client, owed, new Date(at.getTime() + retryMs));
  }
  await clearSetAside(databaseOn(client), owedWork, checkIds);
  return due.length;
}
