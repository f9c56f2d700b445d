import { listExistingChannelIds } from "../../channels/alert-channels/index.ts";
import { holdPolicies } from "../../channels/escalation-policies/index.ts";
import { kinds } from "../../kinds/index.ts";
import type { Fault } from "../../kinds/kit/definition.ts";
import type { Database } from "../../platform/database.ts";
import { findBrokenRule } from "../../platform/text/template.ts";
import { holdServices } from "../../sites/status-pages/index.ts";
import { findBundleContent, holdBundles } from "../code-bundles/index.ts";
import { holdSlugs } from "../locations/index.ts";
import { holdSnippets } from "../snippets/index.ts";
import type { TriggerIncident } from "./alert-settings.ts";
import { type Check, findCheckFaults } from "./check.ts";
import type { CheckGroup } from "./check-group.ts";
import type { CheckSettings } from "./check-settings.ts";
import { holdGroups } from "./groups/store.ts";

const unknownReference = "does not exist in this account";

/** The existing objects that checks refer to. */
interface References {
  readonly groups: ReadonlyMap<number, CheckGroup>;
  readonly channelIds: ReadonlySet<number>;
  readonly policyIds: ReadonlySet<string>;
  readonly serviceIds: ReadonlySet<string>;
  readonly slugs: ReadonlySet<string>;
  readonly snippetIds: ReadonlySet<number>;
  /** Keys of uploaded code that exists. */
  readonly bundles: ReadonlySet<string>;
  /** Violated rule of each invalid code bundle, by the key of the bundle. */
  readonly brokenBundles: ReadonlyMap<string, string>;
}

/** Loads the objects that checks refer to. All except channels are locked against deletion. */
export async function holdReferences(
  db: Database,
  accountId: string,
  checks: readonly CodeOwner[],
): Promise<References> {
  const all = checks.map(({ settings }) => settings);
  const list = <Id>(read: (settings: CheckSettings) => Id | null | readonly Id[]) => [
    ...new Set(all.flatMap((settings) => (read(settings) ?? []) as Id | readonly Id[])),
  ];
  const channelIds = list((one) =>
    one.alertChannelSubscriptions.map(({ alertChannelId }) => alertChannelId),
  );
  const bundles = await holdBundles(db, accountId, checks.flatMap(listCodeKeys));
  return {
    groups: await holdGroups(
      db,
      accountId,
      list(({ groupId }) => groupId),
    ),
    channelIds:
      channelIds.length === 0 ? new Set() : await listExistingChannelIds(db, accountId, channelIds),
    policyIds: await holdPolicies(
      db,
      accountId,
      list(({ alertSettings }) => alertSettings.escalationPolicyId ?? null),
    ),
    serviceIds: await holdServices(
      db,
      accountId,
      list(({ triggerIncident }) => triggerIncident?.serviceId ?? null),
    ),
    slugs: await holdSlugs(
      db,
      accountId,
      list(({ privateLocations }) => privateLocations),
    ),
    snippetIds: await holdSnippets(
      db,
      accountId,
      list((settings) => listChosenSnippets(settings).map(({ id }) => id)),
    ),
    bundles,
    brokenBundles: await findBrokenBundles(db, accountId, { checks, bundles }),
  };
}

async function findBrokenBundles(
  db: Database,
  accountId: string,
  { checks, bundles }: Pick<References, "bundles"> & { readonly checks: readonly CodeOwner[] },
): Promise<References["brokenBundles"]> {
  const broken = new Map<string, string>();
  const seen = new Set<string>();
  for (const check of checks) {
    const { code } = kinds[check.kind];
    for (const key of listCodeKeys(check)) {
      if (code?.findFault === undefined || seen.has(key) || !bundles.has(key)) continue;
      seen.add(key);
      const rule = await code.findFault(key, () => findBundleContent(db, accountId, key));
      if (rule !== null) broken.set(key, rule);
    }
  }
  return broken;
}

type CodeOwner = Pick<Check, "kind" | "settings">;

function listCodeKeys({ kind, settings }: CodeOwner): readonly string[] {
  return kinds[kind].code?.keys(settings) ?? [];
}

/**
 * Finds missing or invalid code among the code that a change adds. If code is missing, the message
 * contains its key. In a deployment of many checks, the key shows which code was not uploaded.
 */
function findCodeFaults(
  check: CodeOwner,
  before: CheckSettings | null,
  { bundles, brokenBundles }: Pick<References, "bundles" | "brokenBundles">,
): Fault[] {
  const { field = "" } = kinds[check.kind].code ?? {};
  const stored = new Set(before === null ? [] : listCodeKeys({ ...check, settings: before }));
  const added = listCodeKeys(check).filter((key) => !stored.has(key));
  const missing = added.find((key) => !bundles.has(key));
  if (missing !== undefined) {
    return [{ key: field, rule: `names code that was not uploaded to this account: ${missing}` }];
  }
  const rule = added.map((key) => brokenBundles.get(key)).find((one) => one !== undefined);
  return rule === undefined ? [] : [{ key: field, rule }];
}

/** Returns every violated rule of a check. A reference to a missing object is also a violation. */
export function findSettingsFaults(
  check: CodeOwner,
  before: CheckSettings | null,
  references: References,
): Fault[] {
  const { groupId, alertChannelSubscriptions, triggerIncident } = check.settings;
  const group = groupId === null ? null : (references.groups.get(groupId) ?? null);
  const faults = findCheckFaults(check, group);
  if (groupId !== null && group === null) faults.push({ key: "groupId", rule: unknownReference });
  for (const [index, { alertChannelId }] of alertChannelSubscriptions.entries()) {
    if (references.channelIds.has(alertChannelId)) continue;
    const key = `alertChannelSubscriptions.${index}.alertChannelId`;
    faults.push({ key, rule: unknownReference });
  }
  const { escalationPolicyId: policyId = null } = check.settings.alertSettings;
  if (policyId !== null && !references.policyIds.has(policyId.toLowerCase())) {
    faults.push({ key: "alertSettings.escalationPolicyId", rule: unknownReference });
  }
  const change = { requested: check.settings, before };
  return [
    ...faults,
    ...findCodeFaults(check, before, references),
    ...findTriggerFaults(triggerIncident, references.serviceIds),
    ...findUnknownPlaces(change, references.slugs),
    ...findUnknownSnippets(change, references.snippetIds),
  ];
}

/** Lists the snippets that settings choose. Kinds without scripts have no settings for it. */
function listChosenSnippets(settings: object): { readonly key: string; readonly id: number }[] {
  const { setupSnippetId, tearDownSnippetId } = settings as {
    readonly setupSnippetId?: number | null;
    readonly tearDownSnippetId?: number | null;
  };
  return Object.entries({ setupSnippetId, tearDownSnippetId }).flatMap(([key, id = null]) =>
    id === null ? [] : [{ key, id }],
  );
}

/**
 * Finds snippets that do not exist in the account. A snippet that was chosen before is accepted. If
 * it was deleted since, runs report it.
 */
export async function findSnippetFaults(
  db: Database,
  accountId: string,
  change: Change<object>,
): Promise<Fault[]> {
  const ids = listChosenSnippets(change.requested).map(({ id }) => id);
  return findUnknownSnippets(change, await holdSnippets(db, accountId, ids));
}

function findUnknownSnippets(
  { requested, before }: Change<object>,
  existing: ReadonlySet<number>,
): Fault[] {
  const stored = new Set(listChosenSnippets(before ?? {}).map(({ id }) => id));
  return listChosenSnippets(requested)
    .filter(({ id }) => !stored.has(id) && !existing.has(id))
    .map(({ key }) => ({ key, rule: unknownReference }));
}

/** Finds violated rules in a check's incident settings. Name and description are templates. */
function findTriggerFaults(
  trigger: TriggerIncident | null,
  serviceIds: ReadonlySet<string>,
): Fault[] {
  if (trigger === null) return [];
  const exists = serviceIds.has(trigger.serviceId);
  return [
    ...(exists ? [] : [{ key: "triggerIncident.serviceId", rule: unknownReference }]),
    ...(["name", "description"] as const).flatMap((field) => {
      const rule = findBrokenRule(trigger[field]);
      return rule === null ? [] : [{ key: `triggerIncident.${field}`, rule }];
    }),
  ];
}

interface Placed {
  readonly privateLocations: readonly string[];
}

interface Change<Settings> {
  readonly requested: Settings;
  readonly before: Settings | null;
}

/**
 * Finds private locations that do not exist in the account. Locations that the check already has
 * are accepted, so that the other fields of an old check can still be changed.
 */
export async function findPlaceFaults(
  db: Database,
  accountId: string,
  change: Change<Placed>,
): Promise<Fault[]> {
  const existing = await holdSlugs(db, accountId, change.requested.privateLocations);
  return findUnknownPlaces(change, existing);
}

function findUnknownPlaces({ requested, before }: Change<Placed>, existing: ReadonlySet<string>) {
  const stored = new Set(before?.privateLocations);
  return requested.privateLocations.flatMap((slug, index) => {
    if (stored.has(slug) || existing.has(slug)) return [];
    const rule = `is not a private location of this account; create ${slug} first`;
    return [{ key: `privateLocations.${index}`, rule }];
  });
}
