import { invalid, notFound } from "../../../platform/errors.ts";
import {
  type AutomationRule,
  type Component,
  type ComponentInput,
  componentDefinitions,
  listComponents,
  listStatusPagesOf,
  type RuleInput,
  ruleDefinitions,
} from "../../../sites/status-pages/index.ts";
import type { Fields } from "../resource.ts";
import {
  type Adapter,
  type AdapterTools,
  describePlain,
  ItemError,
  mapInOrder,
} from "./adapter.ts";

interface OnPage<Input> {
  readonly statusPageId: string;
  readonly input: Input;
}

function readPageId({ statusPageId }: Fields): string {
  if (typeof statusPageId !== "string") throw invalid("statusPageId", "is required");
  return statusPageId;
}

/** Rejects a change of the status page, because a component or rule cannot move to another page. */
function assertSamePage(statusPageId: string, desired: string): void {
  if (statusPageId === desired) return;
  throw invalid("statusPageId", "cannot be changed; use another logical id");
}

/**
 * Creates items in order with the given ids. If an item fails, the error contains its logical id.
 */
function createInOrder<Input>(
  items: readonly { readonly id: string; readonly logicalId: string; readonly input: Input }[],
  create: (item: { readonly id: string; readonly input: Input }) => Promise<unknown>,
): Promise<string[]> {
  return mapInOrder(items, async (item) => {
    try {
      await create(item);
      return item.id;
    } catch (error) {
      throw new ItemError(item.logicalId, error);
    }
  });
}

/** Lists the status pages whose content consists of components. */
async function listComponentPages({ context, caller }: AdapterTools) {
  const pages = await listStatusPagesOf(context.db, caller.accountId);
  return pages.filter(({ usesComponents }) => usesComponents);
}

function describeComponent(
  statusPageId: string,
  { type, name, parentId, look }: Pick<Component, keyof ComponentInput>,
) {
  const { position: displayOrder, description, isHidden: hidden, showsHistory } = look;
  const configuration = { showHistoricalData: showsHistory };
  const place = { statusPageId, parentId, displayOrder };
  return describePlain({ ...place, type, name, description, hidden, configuration });
}

async function findComponentPage({ context, caller }: AdapterTools, id: string): Promise<string> {
  const pages = await componentDefinitions.mapPages(context.db, caller.accountId, [id]);
  const statusPageId = pages.get(id);
  if (statusPageId === undefined) throw notFound();
  return statusPageId;
}

export const componentAdapter: Adapter<OnPage<ComponentInput>> = {
  hasNumbers: false,
  listIds: async (tools) =>
    (await listComponentPages(tools)).flatMap((page) => listComponents(page).map(({ id }) => id)),
  parse: (payload) => {
    const { statusPageId: _page, ...fields } = structuredClone(payload);
    const statusPageId = readPageId(payload);
    const input = componentDefinitions.parse(fields);
    return { input: { statusPageId, input }, definition: describeComponent(statusPageId, input) };
  },
  load: async ({ context, caller }, ids) => {
    const components = await componentDefinitions.load(context.db, caller.accountId, ids);
    return new Map(components.map((one) => [one.id, describeComponent(one.statusPageId, one)]));
  },
  create: async ({ context, caller }, items) => {
    const isInside = (item: (typeof items)[number]) => item.input.input.parentId !== null;
    const groupsFirst = items.toSorted((a, b) => Number(isInside(a)) - Number(isInside(b)));
    await createInOrder(groupsFirst, ({ id, input }) =>
      componentDefinitions.create(context, caller, { ...input, id }),
    );
    return items.map(({ id }) => id);
  },
  // `change` does nothing, because the new parent group of a component may not exist yet. `connect`
  // writes the changes when all groups exist.
  change: async () => {},
  connect: async (tools, { id, isNew }, { statusPageId, input }) => {
    if (isNew) return;
    assertSamePage(await findComponentPage(tools, id), statusPageId);
    const change = { statusPageId, id, read: () => input };
    await componentDefinitions.change(tools.context, tools.caller, change);
  },
  remove: async (tools, ids) => {
    for (const id of ids) {
      const statusPageId = await findComponentPage(tools, id);
      await componentDefinitions.remove(tools.context, tools.caller, { statusPageId, id });
    }
  },
};

/**
 * Returns the definition of a rule. Tags and components are sorted, because their order has no
 * meaning.
 */
function describeRule(
  statusPageId: string,
  rule: Pick<AutomationRule, Exclude<keyof RuleInput, "components">> & {
    readonly components: RuleInput["components"];
  },
) {
  const { name, firstUpdate, lastUpdate, notifySubscribers } = rule;
  const components = rule.components
    .map(({ componentId, impact }) => ({ componentId, targetImpact: impact }))
    .sort((one, other) => one.componentId.localeCompare(other.componentId));
  return describePlain({
    ...{ statusPageId, name, firstUpdate, lastUpdate, notifySubscribers, components },
    enabled: rule.isEnabled,
    coolDownWindowMinutes: rule.coolDownMinutes,
    tags: [...rule.tags].sort(),
  });
}

async function getStoredRule({ context, caller }: AdapterTools, id: string) {
  const [rule] = await ruleDefinitions.load(context.db, caller.accountId, [id]);
  if (rule === undefined) throw notFound();
  return rule;
}

export const ruleAdapter: Adapter<OnPage<RuleInput>> = {
  hasNumbers: false,
  unordered: ["components"],
  listIds: async (tools) => {
    const { context, caller } = tools;
    const pages = await listComponentPages(tools);
    const rules = await mapInOrder(pages, ({ id }) =>
      ruleDefinitions.listOfPage(context.db, caller.accountId, id),
    );
    return rules.flat().map(({ id }) => id);
  },
  parse: (payload) => {
    const { statusPageId: _page, ...fields } = structuredClone(payload);
    const statusPageId = readPageId(payload);
    const input = ruleDefinitions.parse(fields);
    return { input: { statusPageId, input }, definition: describeRule(statusPageId, input) };
  },
  load: async ({ context, caller }, ids) => {
    const rules = await ruleDefinitions.load(context.db, caller.accountId, ids);
    return new Map(rules.map((rule) => [rule.id, describeRule(rule.statusPageId, rule)]));
  },
  create: ({ context, caller }, items) =>
    createInOrder(items, ({ id, input }) =>
      ruleDefinitions.create(context, caller, { ...input, id }),
    ),
  change: async (tools, id, { statusPageId, input }) => {
    assertSamePage((await getStoredRule(tools, id)).statusPageId, statusPageId);
    await ruleDefinitions.change(tools.context, tools.caller, {
      statusPageId,
      id,
      read: () => input,
    });
  },
  remove: async (tools, ids) => {
    for (const id of ids) {
      const { statusPageId } = await getStoredRule(tools, id);
      await ruleDefinitions.remove(tools.context, tools.caller, { statusPageId, id });
    }
  },
};
