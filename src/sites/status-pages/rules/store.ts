import { type Database, runSql } from "../../../platform/database.ts";
import type { AutomationRule, Impact, RuleComponent } from "./rule.ts";

type RuleRow = Omit<AutomationRule, "components">;

const columns = `id, account_id as "accountId", status_page_id as "statusPageId", name,
  is_enabled as "isEnabled", first_update as "firstUpdate", last_update as "lastUpdate",
  notify_subscribers as "notifySubscribers", cool_down_minutes as "coolDownMinutes", tags,
  incident_id as "incidentId", failing_check_ids as "failingCheckIds",
  incident_ended_at as "incidentEndedAt", created_at as "createdAt", updated_at as "updatedAt"`;

async function addComponents(db: Database, rows: readonly RuleRow[]): Promise<AutomationRule[]> {
  if (rows.length === 0) return [];
  const found = await runSql<RuleComponent & { readonly ruleId: string }>(
    db,
    `select id, rule_id as "ruleId", coalesce(card_id, card_service_id) as "componentId", impact
      from status_page_rule_components where rule_id = any($1::uuid[]) order by rule_id, position`,
    [rows.map(({ id }) => id)],
  );
  const byRule = Map.groupBy(found, ({ ruleId }) => ruleId);
  return rows.map((row) => ({
    ...row,
    components: (byRule.get(row.id) ?? []).map(({ ruleId: _rule, ...one }) => one),
  }));
}

export async function listRulesOfPage(
  db: Database,
  accountId: string,
  statusPageId: string,
): Promise<AutomationRule[]> {
  const text = `select ${columns} from status_page_rules
    where account_id = $1 and status_page_id = $2 order by id`;
  return addComponents(db, await runSql<RuleRow>(db, text, [accountId, statusPageId]));
}

export async function listRulesByIds(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<AutomationRule[]> {
  const text = `select ${columns} from status_page_rules
    where account_id = $1 and id = any($2::uuid[]) order by id`;
  return addComponents(db, await runSql<RuleRow>(db, text, [accountId, ids]));
}

/** Locks the rules of an account, and skips rules that another transaction has locked. */
export async function lockRules(
  db: Database,
  accountId: string,
): Promise<{ readonly rules: readonly AutomationRule[]; readonly isComplete: boolean }> {
  const text = `select ${columns} from status_page_rules where account_id = $1
    order by id for update skip locked`;
  const rows = await runSql<RuleRow>(db, text, [accountId]);
  const [total] = await runSql<{ count: number }>(
    db,
    "select count(*)::int as count from status_page_rules where account_id = $1",
    [accountId],
  );
  return { rules: await addComponents(db, rows), isComplete: rows.length === total?.count };
}

export type StoredRule = Pick<
  AutomationRule,
  | "id"
  | "statusPageId"
  | "name"
  | "isEnabled"
  | "firstUpdate"
  | "lastUpdate"
  | "notifySubscribers"
  | "coolDownMinutes"
  | "tags"
>;

export async function saveRule(
  db: Database,
  accountId: string,
  { at, ...rule }: StoredRule & { readonly at: Date },
): Promise<void> {
  const text = `insert into status_page_rules (account_id, id, status_page_id, name, is_enabled,
      first_update, last_update, notify_subscribers, cool_down_minutes, tags, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    on conflict (id) do update set name = $4, is_enabled = $5, first_update = $6, last_update = $7,
      notify_subscribers = $8, cool_down_minutes = $9, tags = $10, updated_at = $11`;
  await runSql(db, text, [
    accountId,
    rule.id,
    rule.statusPageId,
    rule.name,
    rule.isEnabled,
    rule.firstUpdate,
    rule.lastUpdate,
    rule.notifySubscribers,
    rule.coolDownMinutes,
    rule.tags,
    at,
  ]);
}

export interface StoredComponent {
  readonly id: string;
  readonly cardId: string | null;
  readonly cardServiceId: string | null;
  readonly impact: Impact;
}

/** Replaces the components of a locked or new rule. */
export async function replaceRuleComponents(
  db: Database,
  accountId: string,
  {
    ruleId,
    components,
  }: {
    readonly ruleId: string;
    readonly components: readonly StoredComponent[];
  },
): Promise<void> {
  const own = "select id from status_page_rules where account_id = $1 and id = $2";
  const text = `delete from status_page_rule_components where rule_id in (${own})`;
  await runSql(db, text, [accountId, ruleId]);
  await runSql(
    db,
    `insert into status_page_rule_components (rule_id, id, card_id, card_service_id, impact,
        position)
      select rule.id, one.* from (${own}) as rule,
        unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[]) with ordinality as one`,
    [
      accountId,
      ruleId,
      components.map(({ id }) => id),
      components.map(({ cardId }) => cardId),
      components.map(({ cardServiceId }) => cardServiceId),
      components.map(({ impact }) => impact),
    ],
  );
}

export async function deleteRule(db: Database, accountId: string, id: string): Promise<void> {
  await runSql(db, "delete from status_page_rules where account_id = $1 and id = $2", [
    accountId,
    id,
  ]);
}

/** Stores the result of evaluating a rule. */
export async function saveRuleState(
  db: Database,
  accountId: string,
  rule: Pick<AutomationRule, "id" | "failingCheckIds" | "incidentId" | "incidentEndedAt">,
): Promise<void> {
  const text = `update status_page_rules set failing_check_ids = $3, incident_id = $4,
      incident_ended_at = $5
    where account_id = $1 and id = $2`;
  const { id, failingCheckIds, incidentId, incidentEndedAt } = rule;
  await runSql(db, text, [accountId, id, failingCheckIds, incidentId, incidentEndedAt]);
}

/** Detaches a resolved incident from the rule that opened it. */
export async function releaseRuleIncident(
  db: Database,
  accountId: string,
  incidentId: string,
): Promise<void> {
  const text = `update status_page_rules set incident_id = null
    where account_id = $1 and incident_id = $2`;
  await runSql(db, text, [accountId, incidentId]);
}
