/** Pure: which resources an import offers, and their names in the code. */
import type { Fields, ResourceType } from "../resource.ts";

/** A resource of the account in the form in which the API shows it, with physical references. */
export interface ImportedResource {
  readonly type: ResourceType;
  readonly logicalId: string;
  readonly physicalId: string;
  readonly payload: Fields;
}

export interface ImportFilter {
  readonly type: "include" | "exclude";
  /** Everything if absent. */
  readonly resource?: { readonly type?: string; readonly physicalId?: string | number } | undefined;
}

export interface StoredResource {
  readonly type: ResourceType;
  readonly physicalId: string;
  readonly shown: Fields;
}

/** The last filter that matches a resource decides; without a match it is offered. */
export function isIncluded(
  { type, physicalId }: Pick<StoredResource, "type" | "physicalId">,
  filters: readonly ImportFilter[],
): boolean {
  const last = filters.findLast(({ resource }) => {
    if (resource === undefined) return true;
    const isType = resource.type === undefined || resource.type === type;
    const { physicalId: id } = resource;
    return isType && (id === undefined || String(id) === physicalId);
  });
  return last === undefined || last.type === "include";
}

function writeSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
}

/** Names resources after what people see; equal names are numbered. */
export function nameResources(resources: readonly StoredResource[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { type, physicalId, shown } of resources) {
    const config = (shown.config ?? {}) as Fields;
    const title = [shown.name, shown.header, config.name, config.address, shown.type].find(
      (one) => typeof one === "string" && one !== "",
    );
    const base = writeSlug(String(title ?? "")) || `${type}-${writeSlug(physicalId)}`;
    let name = base;
    for (let count = 2; taken.has(`${type} ${name}`); count += 1) name = `${base}-${count}`;
    taken.add(`${type} ${name}`);
    names.set(`${type} ${physicalId}`, name);
  }
  return names;
}

/** Leaves out what the client rejects in its own code: an empty list of errors to retry on. */
export function simplifyPayload(payload: Fields): Fields {
  const { onlyOn, ...retryStrategy } = (payload.retryStrategy ?? {}) as Fields;
  const isEmpty = Array.isArray(onlyOn) && onlyOn.length === 0;
  return isEmpty ? { ...payload, retryStrategy } : payload;
}
