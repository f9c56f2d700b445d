/** Finds URLs, domains and slugs of a plan that are taken, before anything is applied. */
import { invalid } from "../../platform/errors.ts";
import { isReservedSlug, listOwnLocations } from "../locations/index.ts";
import { listTakenNames, parseCustomDomain, parsePageUrl } from "../sites/index.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import type { PlanEntry } from "./plan.ts";
import { type Fields, nameResource, type ResourceType } from "./resource.ts";

interface PageName {
  readonly field: string;
  /** As the code has it. */
  readonly value: string;
  /** As it is compared. */
  readonly name: string;
}

const urlFields: Partial<Record<ResourceType, string>> = {
  "status-page": "url",
  dashboard: "customUrl",
};

function listNames(
  { context }: AdapterTools,
  type: ResourceType,
  fields: Fields | null,
): PageName[] {
  const urlField = urlFields[type];
  if (urlField === undefined || fields === null) return [];
  const names: PageName[] = [];
  const { [urlField]: url, customDomain } = fields;
  if (typeof url === "string") names.push({ field: urlField, value: url, name: url.toLowerCase() });
  // If a proof is required, several pages may claim a domain until one proves it.
  if (typeof customDomain === "string" && !context.domainProof.isRequired) {
    const parsed = parseCustomDomain(customDomain, context.publicUrl());
    const { domain: name } = parsed.kind === "domain" ? parsed : { domain: null };
    if (name !== null) names.push({ field: "customDomain", value: customDomain, name });
  }
  return names;
}

/** Throws if a name in the plan is not valid, or if an object that stays has it. */
export async function assertNamesAreFree(
  tools: AdapterTools,
  entries: readonly PlanEntry[],
): Promise<void> {
  await assertPagesAreFree(tools, entries);
  await assertSlugsAreFree(tools, entries);
}

/** The slug of a location that the plan deletes is not free yet when others are created. */
async function assertSlugsAreFree(
  { context, caller }: AdapterTools,
  entries: readonly PlanEntry[],
): Promise<void> {
  const renamed = entries.filter(
    ({ type, before, after }) =>
      type === "private-location" && after !== null && after.slugName !== before?.slugName,
  );
  if (renamed.length === 0) return;
  const ids = new Set(renamed.map(({ physicalId }) => physicalId));
  const locations = await listOwnLocations(context, caller);
  const taken = new Set(locations.filter(({ id }) => !ids.has(id)).map(({ slugName }) => slugName));
  for (const entry of renamed) {
    const slugName = String(entry.after?.slugName);
    const reject = (rule: string) => nameResource(entry, invalid("slugName", rule));
    if (isReservedSlug(context, slugName)) throw reject("is already the name of another location");
    if (taken.has(slugName)) throw reject(`${slugName} is taken`);
    taken.add(slugName);
  }
}

async function assertPagesAreFree(
  tools: AdapterTools,
  entries: readonly PlanEntry[],
): Promise<void> {
  const pages = entries
    .filter(({ type }) => urlFields[type] !== undefined)
    .map((entry) => {
      const held = listNames(tools, entry.type, entry.before);
      const isKept = entry.action === "KEEP" || entry.action === "DETACH";
      const desired = isKept ? held : listNames(tools, entry.type, entry.after);
      const isNew = ({ name }: PageName) => !held.some((one) => one.name === name);
      const isReleased = ({ name }: PageName) => !desired.some((one) => one.name === name);
      return { entry, desired, claimed: desired.filter(isNew), released: held.filter(isReleased) };
    });
  const claimed = pages.flatMap((page) => page.claimed.map(({ name }) => name));
  if (claimed.length === 0) return;
  const taken = await listTakenNames(tools.context.db, claimed);
  const free = new Set(pages.flatMap((page) => page.released.map(({ name }) => name)));
  const users = new Map<string, PlanEntry>();
  for (const { entry, desired } of pages) {
    for (const { name } of desired) if (!users.has(name)) users.set(name, entry);
  }
  for (const page of pages) {
    for (const { field, value, name } of page.claimed) {
      const reject = (rule: string) => nameResource(page.entry, invalid(field, rule));
      const parsed = field === "customDomain" ? null : parsePageUrl(value);
      if (parsed?.kind === "invalid") throw reject(parsed.rule);
      const isHeld = taken.has(name) && !free.has(name);
      if (isHeld || users.get(name) !== page.entry) throw reject(`${value} is taken`);
    }
  }
}
