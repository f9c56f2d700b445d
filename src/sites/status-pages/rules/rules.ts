import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import { assertMatch, IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { getStatusPage } from "../actions.ts";
import { listComponents } from "../components/component.ts";
import { startAt } from "../components/components.ts";
import type { ServicesContext } from "../context.ts";
import { StatusPageParams } from "../schema.ts";
import type { StatusPage } from "../status-page.ts";
import { lockStatusPage } from "../store.ts";
import { requestRuleEvaluation } from "./evaluation-store.ts";
import { type AutomationRule, maxRulesPerPage, type RuleInput, tagRule } from "./rule.ts";
import {
  fromWireRule,
  RuleBody,
  RuleList,
  RuleParams,
  RuleQuery,
  RuleSchema,
  toWireRule,
} from "./schema.ts";
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

async function listOwnRules(
  context: ServicesContext,
  caller: Caller,
  statusPageId: string,
): Promise<AutomationRule[]> {
  const { id } = await getStatusPage(context, caller, statusPageId);
  return listRulesOfPage(context.db, caller.accountId, id);
}

async function getRule(
  context: ServicesContext,
  caller: Caller,
  place: Place,
): Promise<AutomationRule> {
  return findRule(context.db, caller.accountId, place);
}

/** Finds the components of a rule on its page and converts them for storage. */
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

/** Locks the page, so that its components exist until the rule is stored. */
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
  change: Place & {
    readonly ifMatch?: string | undefined;
    readonly read: (before: AutomationRule) => RuleInput;
  },
): Promise<AutomationRule> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const page = await lockPage(db, caller.accountId, change.statusPageId);
    const before = await findRule(db, caller.accountId, change);
    assertMatch(change.ifMatch, tagRule(before));
    const input = change.read(before);
    return writeRule(db, caller, { page, id: before.id, input, action: "updated", at });
  });
}

/** Deletes a rule. Its open incident remains and must be resolved by hand. */
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

const tags = ["Status page components"];

function addWriteRoutes(server: HttpServer, context: ServicesContext): void {
  server.post(
    "/v3/status-pages/:statusPageId/automation-rules",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createAutomationRule",
        summary: "Create an automation rule",
        description:
          "While a check with one of the tags fails and its alert was sent, one incident is open. " +
          "It is resolved when the checks have recovered, unless a person has posted to it.",
        params: StatusPageParams,
        body: RuleBody,
        response: answers({ 201: RuleSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params: { statusPageId }, body }, reply) => {
      const request = { statusPageId, id: randomUUIDv7(), input: fromWireRule(body, null) };
      const rule = await createRule(context, caller, request);
      return reply.code(201).send(sendTagged(reply, tagRule(rule), toWireRule(rule)));
    },
  );
  server.put(
    "/v3/status-pages/:statusPageId/automation-rules/:ruleId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateAutomationRule",
        summary: "Update an automation rule",
        description: "Omitted optional fields keep their value. An open incident is not changed.",
        params: RuleParams,
        headers: IfMatchHeaders,
        body: RuleBody,
        response: answers({ 200: RuleSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, params: { statusPageId, ruleId }, headers, body }, reply) => {
      const read = fromWireRule.bind(null, body);
      const change = { statusPageId, id: ruleId, ifMatch: headers["if-match"], read };
      const rule = await changeRule(context, caller, change);
      return sendTagged(reply, tagRule(rule), toWireRule(rule));
    },
  );
  server.delete(
    "/v3/status-pages/:statusPageId/automation-rules/:ruleId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteAutomationRule",
        summary: "Delete an automation rule",
        description: "Its open incident stays open until a person resolves it.",
        params: RuleParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, ruleId } }, reply) => {
      await removeRule(context, caller, { statusPageId, id: ruleId });
      return reply.code(204).send(null);
    },
  );
}

export function addRuleRoutes(server: HttpServer, context: ServicesContext): void {
  addWriteRoutes(server, context);
  server.get(
    "/v3/status-pages/:statusPageId/automation-rules",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAutomationRules",
        summary: "List the automation rules of a status page",
        description: "Oldest first. Paginated: pass `nextId` of the response.",
        params: StatusPageParams,
        querystring: RuleQuery,
        response: answers({ 200: RuleList }, "notFound"),
      },
    },
    async ({ caller, params, query: { limit, nextId } }) => {
      const all = await listOwnRules(context, caller, params.statusPageId);
      return toCursorPage(
        startAt(all, nextId)
          .slice(0, limit + 1)
          .map(toWireRule),
        limit,
      );
    },
  );
  server.get(
    "/v3/status-pages/:statusPageId/automation-rules/:ruleId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAutomationRule",
        summary: "Get an automation rule",
        description: "`incidentId` is the incident that it has opened and not resolved.",
        params: RuleParams,
        response: answers({ 200: RuleSchema }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, ruleId } }, reply) => {
      const rule = await getRule(context, caller, { statusPageId, id: ruleId });
      return sendTagged(reply, tagRule(rule), toWireRule(rule));
    },
  );
}
