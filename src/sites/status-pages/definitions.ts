/** Pages, services, components and rules as resources of a project. */

import type { Caller } from "../../access/accounts/index.ts";
import type { Database } from "../../platform/database.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { changeStatusPage, createStatusPage, removeStatusPage } from "./actions.ts";
import { type Component, type ComponentInput, listComponents } from "./components/component.ts";
import {
  ComponentPageBody,
  describeComponentPage,
  fromWireComponentPage,
} from "./components/component-pages.ts";
import { changeComponent, createComponent, removeComponent } from "./components/components.ts";
import { ComponentBody, fromWireComponent } from "./components/schema.ts";
import { listComponentServiceIds, mapPagesOfComponents } from "./components/store.ts";
import type { StatusPagesContext } from "./context.ts";
import { completeSettings } from "./page-settings.ts";
import type { RuleInput } from "./rules/rule.ts";
import { changeRule, createRule, removeRule } from "./rules/rules.ts";
import { fromWireRule, RuleBody } from "./rules/schema.ts";
import { listRulesByIds, listRulesOfPage } from "./rules/store.ts";
import { ServiceBody } from "./services/schema.ts";
import {
  changeService,
  createService,
  listAllServices,
  removeService,
} from "./services/services.ts";
import { backdateServices } from "./services/store.ts";
import type { StatusPage, StatusPageInput, StatusPageSettings } from "./status-page.ts";
import { findStatusPageById } from "./store.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Removes settings that are `null`, so that their defaults apply. */
const omitNone = (settings: object): Partial<StatusPageSettings> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null));

/**
 * Parses the body of a page with components. Omitted fields get their defaults. The returned
 * function `read` converts the body to the input for creating or changing a page. Its argument is
 * the existing page, or `null` for a new page.
 */
function defineComponentPage(sent: Fields) {
  assertSchema(ComponentPageBody, sent);
  const { version: _version, ...properties } = ComponentPageBody.properties;
  const names = Object.keys(properties);
  const body = Object.fromEntries(names.map((field) => [field, sent[field] ?? null]));
  const read = (before: StatusPage | null): StatusPageInput =>
    fromWireComponentPage(body as unknown as ComponentPageBody, before);
  const { name, url, ...rest } = read(null);
  const settings = completeSettings(omitNone(rest));
  return { read, described: describeComponentPage({ name, url, settings }) };
}

export const pageDefinitions = {
  defineComponentPage,
  describeComponentPage,
  create: createStatusPage,
  change: changeStatusPage,
  remove: removeStatusPage,
} as const;

/** Lists the services that no component created. A component's service is part of the component. */
async function listServiceIds(
  context: Pick<StatusPagesContext, "db">,
  caller: Caller,
): Promise<string[]> {
  const parts = new Set(await listComponentServiceIds(context.db, caller.accountId));
  const services = await listAllServices(context, caller);
  return services.map(({ id }) => id).filter((id) => !parts.has(id));
}

export const serviceDefinitions = {
  assertBody: (body: unknown) => assertSchema(ServiceBody, body),
  listIds: listServiceIds,
  create: createService,
  change: changeService,
  remove: removeService,
  backdate: backdateServices,
} as const;

function parseComponent(fields: unknown): ComponentInput {
  assertSchema(ComponentBody, fields);
  return fromWireComponent(fields as ComponentBody, null);
}

/** Loads components by id. Deleted components are not in the result. */
async function loadComponents(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Component[]> {
  const requested = new Set(ids);
  const found: Component[] = [];
  for (const pageId of new Set((await mapPagesOfComponents(db, accountId, ids)).values())) {
    const page = await findStatusPageById(db, accountId, pageId);
    if (page !== null) found.push(...listComponents(page).filter(({ id }) => requested.has(id)));
  }
  return found;
}

export const componentDefinitions = {
  parse: parseComponent,
  load: loadComponents,
  mapPages: mapPagesOfComponents,
  create: createComponent,
  change: changeComponent,
  remove: removeComponent,
} as const;

function parseRule(fields: unknown): RuleInput {
  assertSchema(RuleBody, fields);
  return fromWireRule(fields as RuleBody, null);
}

export const ruleDefinitions = {
  parse: parseRule,
  load: listRulesByIds,
  listOfPage: listRulesOfPage,
  create: createRule,
  change: changeRule,
  remove: removeRule,
} as const;
