import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { getStatusPage } from "../actions.ts";
import { listComponents } from "../components/component.ts";
import type { ServicesContext } from "../context.ts";
import type { StatusPage } from "../status-page.ts";
import { lockStatusPage } from "../store.ts";
import { requestRuleEvaluation } from "./evaluation-store.ts";
import { type AutomationRule, maxRulesPerPage, type RuleInput } from "./rule.ts";
import {
  deleteRule,
  listRulesByIds,
  listRulesOfPage,
  replaceRuleComponents,
  type StoredComponent,
  saveRule,
} from "./store.ts";

interface Place {
  readonly statusPageId: string;
  readonly id: string;
}

async function findRule(db: Database, accountId: string, place: Place): Promise<AutomationRule> {
  const [rule] = await listRulesByIds(db, accountId, [place.id]);
  const isOnPage = rule?.statusPageId === place.statusPageId.toLowerCase();
  if (rule === undefined || !isOnPage) throw notFound();
  return rule;
}

export async function listOwnRules(
  context: ServicesContext,
  caller: Caller,
  statusPageId: string,
): Promise<AutomationRule[]> {
  const { id } = await getStatusPage(context, caller, statusPageId);
  return listRulesOfPage(context.db, caller.accountId, id);
}

export async function getRule(
  context: ServicesContext,
  caller: Caller,
  place: Place,
): Promise<AutomationRule> {
  return findRule(context.db, caller.accountId, place);
}

/** Looks up the components of a rule on its page. */
function planComponents(page: StatusPage, { components }: RuleInput): StoredComponent[] {
  const known = new Map(listComponents(page).map((one) => [one.id, one]));
  const taken = new Set<string>();
  return components.map(({ componentId, impact }, index) => {
    const component = known.get(componentId.toLowerCase());
    const key = `components.${index}.componentId`;
    if (component === undefined) throw invalid(key, "is not a component of this page");
    if (taken.has(component.id)) throw invalid(key, "is in the list twice");
    taken.add(component.id);
    const isGroup = component.type === "GROUP";
    return {
      id: randomUUIDv7(),
      cardId: isGroup ? component.id : null,
      cardServiceId: isGroup ? null : component.id,
      impact,
    };
  });
}

async function writeRule(
  db: Database,
  caller: Caller,
  rule: {
    readonly page: StatusPage;
    readonly id: string;
    readonly input: RuleInput;
    readonly action: "created" | "updated";
    readonly at: Date;
  },
): Promise<AutomationRule> {
  const { page, id, input, action, at } = rule;
  const { accountId } = caller;
  const components = planComponents(page, input);
  await saveRule(db, accountId, { ...input, id, statusPageId: page.id, at });
  await replaceRuleComponents(db, accountId, { ruleId: id, components });
  await requestRuleEvaluation(db, [accountId], at);
  const { name, isEnabled, tags } = input;
  const changes = { name, isEnabled, tags, statusPageId: page.id };
  const note = { action: `status-page-rule.${action}`, targetId: id, changes, at };
  await writeAuditEntry(db, caller, note);
  return findRule(db, accountId, { statusPageId: page.id, id });
}

/** Locks the page, so that the components of a rule stay until it is stored. */
async function lockPage(db: Database, accountId: string, id: string): Promise<StatusPage> {
  const page = await lockStatusPage(db, accountId, id);
  if (page === null) throw notFound();
  return page;
}

export async function createRule(
  context: ServicesContext,
  caller: Caller,
  { statusPageId, id, input }: Place & { readonly input: RuleInput },
): Promise<AutomationRule> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const page = await lockPage(db, caller.accountId, statusPageId);
    const rules = await listRulesOfPage(db, caller.accountId, page.id);
    if (rules.length >= maxRulesPerPage) {
      throw conflict(`a page has at most ${maxRulesPerPage} rules; delete one first`);
    }
    return writeRule(db, caller, { page, id, input, action: "created", at });
  });
}

export async function changeRule(
  context: ServicesContext,
  caller: Caller,
  change: Place & { readonly read: (before: AutomationRule) => RuleInput },
): Promise<AutomationRule> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const page = await lockPage(db, caller.accountId, change.statusPageId);
    const before = await findRule(db, caller.accountId, change);
    const input = change.read(before);
    return writeRule(db, caller, { page, id: before.id, input, action: "updated", at });
  });
}

/** The open incident of a deleted rule stays, for a person to resolve. */
export async function removeRule(
  context: ServicesContext,
  caller: Caller,
  place: Place,
): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const rule = await findRule(db, accountId, place);
    await deleteRule(db, accountId, rule.id);
    const changes = { name: rule.name, statusPageId: rule.statusPageId };
    const note = { action: "status-page-rule.deleted", targetId: rule.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}
