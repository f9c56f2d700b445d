/**
 * Evaluates the automation rules of status pages. When an alert is sent, a database row requests an
 * evaluation of all rules of the account. A loop then determines which checks have open alerts, and
 * compares them with the checks that each rule has already handled. No change is lost if the server
 * is killed, because the next evaluation finds the same difference.
 */
import { type Database, inTransaction } from "../../../platform/database.ts";
import { clearQuarantine, isTransient, quarantine } from "../../../platform/quarantine.ts";
import {
  type AutomationRule,
  findStatusPageById,
  listComponents,
  ruleEvaluations,
} from "../../../sites/status-pages/index.ts";
import {
  listFailingCheckIds,
  openRuleIncident,
  resolveRuleIncident,
  type Severity,
  severities,
} from "../../incidents/index.ts";
import {
  isInWindow,
  listSuppressingWindows,
  type SuppressingWindow,
  suppressesIncidentsOf,
} from "../../maintenance/index.ts";
import type { DeciderContext } from "../context.ts";
import { listAlertedChecks } from "../decider-store.ts";
import { type AlertedCheck, decideRule, severityOfImpact } from "./rule-decision.ts";

/** Name under which an account is quarantined if the evaluation of its rules fails. */
const ruleWork = "evaluate automation rules";
/** Maximum number of accounts evaluated in one iteration of the loop. */
export const evaluationBatch = 20;
/**
 * Delays of the next evaluation: while a person edits a rule, and while maintenance suppresses
 * incidents.
 */
const laterMs = 5_000;
const suppressedMs = 60_000;

type EvaluationContext = Pick<DeciderContext, "db" | "clock" | "log">;

interface Affected {
  readonly id: string;
  readonly severity: Severity;
}

/**
 * Lists the services that a rule affects. If the rule names a component group, all services of the
 * group are affected. If several components of the rule refer to the same service, the worst
 * severity counts.
 */
async function listAffected(
  db: Database,
  { accountId, statusPageId, components }: AutomationRule,
): Promise<Affected[]> {
  const page = await findStatusPageById(db, accountId, statusPageId);
  const known = page === null ? [] : listComponents(page);
  const worst = new Map<string, Severity>();
  for (const { componentId, impact } of components) {
    const severity = severityOfImpact[impact];
    for (const { id, parentId, serviceId } of known) {
      if (serviceId === null || (id !== componentId && parentId !== componentId)) continue;
      const other = worst.get(serviceId);
      const isWorse = !other || severities.indexOf(severity) < severities.indexOf(other);
      if (isWorse) worst.set(serviceId, severity);
    }
  }
  return [...worst].map(([id, severity]) => ({ id, severity }));
}

class Evaluation {
  readonly #db: Database;
  readonly #at: Date;
  readonly #windows: readonly SuppressingWindow[];
  /** When to evaluate the rules again even if no alert is sent; `null` if not needed. */
  nextAtMs: number | null = null;

  constructor(db: Database, at: Date, windows: readonly SuppressingWindow[]) {
    this.#db = db;
    this.#at = at;
    this.#windows = windows;
  }

  #repeatAt(ms: number): void {
    this.nextAtMs = Math.min(this.nextAtMs ?? ms, ms);
  }

  async #open(rule: AutomationRule, failingCheckIds: readonly string[]): Promise<void> {
    const services = await listAffected(this.#db, rule);
    const isSuppressed = this.#windows.some(
      ({ schedule, visibility }) =>
        services.some(({ id }) => suppressesIncidentsOf(visibility, id)) &&
        isInWindow(schedule, this.#at.getTime()),
    );
    if (isSuppressed) return this.#repeatAt(this.#at.getTime() + suppressedMs);
    const { id: ruleId, name, firstUpdate: description, notifySubscribers } = rule;
    const incidentId = await openRuleIncident(this.#db, rule.accountId, {
      ...{ ruleId, name, description, notifySubscribers, services, at: this.#at },
    });
    if (incidentId === null) return;
    await ruleEvaluations.saveState(this.#db, rule.accountId, {
      ...rule,
      failingCheckIds,
      incidentId,
    });
  }

  async #resolve(rule: AutomationRule): Promise<void> {
    const { accountId, incidentId, lastUpdate: description, notifySubscribers } = rule;
    const at = this.#at;
    if (incidentId !== null) {
      const resolution = { incidentId, description, notifySubscribers, at };
      await resolveRuleIncident(this.#db, accountId, resolution);
    }
    const ended = { failingCheckIds: [], incidentId: null, incidentEndedAt: at };
    await ruleEvaluations.saveState(this.#db, accountId, { id: rule.id, ...ended });
  }

  async evaluate(rule: AutomationRule, alerted: readonly AlertedCheck[]): Promise<void> {
    const decision = decideRule(rule, alerted, this.#at.getTime());
    if (decision.kind === "open") return this.#open(rule, decision.failingCheckIds);
    if (decision.kind === "resolve") return this.#resolve(rule);
    if (decision.kind === "wait") return this.#repeatAt(decision.untilMs);
    if (decision.failingCheckIds.join() === [...rule.failingCheckIds].sort().join()) return;
    const { failingCheckIds } = decision;
    await ruleEvaluations.saveState(this.#db, rule.accountId, { ...rule, failingCheckIds });
  }
}

async function evaluateAccount({ db, clock }: EvaluationContext, accountId: string): Promise<void> {
  const at = clock.now();
  await inTransaction(db, async (transaction) => {
    await ruleEvaluations.takeDue(transaction, accountId, at);
    const { rules, isComplete } = await ruleEvaluations.lockRules(transaction, accountId);
    const held = rules.flatMap(({ failingCheckIds }) => failingCheckIds);
    const failing = await listFailingCheckIds(transaction, accountId);
    const checkIds = [...new Set([...held, ...failing])];
    const alerted = await listAlertedChecks(transaction, accountId, checkIds);
    const windows = await listSuppressingWindows(transaction, accountId);
    const evaluation = new Evaluation(transaction, at, windows);
    for (const rule of rules) await evaluation.evaluate(rule, alerted);
    const times = [evaluation.nextAtMs, isComplete ? null : at.getTime() + laterMs];
    const nextMs = Math.min(...times.filter((one) => one !== null));
    if (Number.isFinite(nextMs)) {
      await ruleEvaluations.request(transaction, [accountId], new Date(nextMs));
    }
    await clearQuarantine(transaction, ruleWork, [accountId]);
  });
}

/** Evaluates the rules of accounts whose evaluation is due. Returns the number of accounts. */
export async function evaluateDueRules(context: EvaluationContext): Promise<number> {
  const { db, clock } = context;
  const now = clock.now();
  const due = await ruleEvaluations.listDue(db, { now, limit: evaluationBatch });
  for (const accountId of due) {
    try {
      await evaluateAccount(context, accountId);
    } catch (error) {
      if (isTransient(error)) throw error;
      const retryAt = await quarantine(context, { work: ruleWork, key: accountId, error, now });
      await ruleEvaluations.takeDue(db, accountId, now);
      if (retryAt !== null) await ruleEvaluations.request(db, [accountId], retryAt);
    }
  }
  return due.length;
}

/**
 * Requests evaluations for accounts with automation rules that have failing checks. Usually an
 * alert requests the evaluation. However, no alert is sent when a check is deleted, deactivated or
 * loses its tag, although the incident of the rule may then have to be resolved.
 */
export async function reviewOngoingRules({ db, clock }: EvaluationContext): Promise<void> {
  const accountIds = await ruleEvaluations.listAccountsWithFailing(db);
  if (accountIds.length > 0) await ruleEvaluations.request(db, accountIds, clock.now());
}
