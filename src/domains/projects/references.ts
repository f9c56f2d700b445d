import { invalid } from "../../platform/errors.ts";
import type { DesiredResource, Fields, ResourceType } from "./resource.ts";

/** Type of the resource that a field refers to. */
export const referenceTypes: Readonly<Record<string, ResourceType>> = {
  groupId: "check-group",
  checkId: "check",
  alertChannelId: "alert-channel",
  privateLocationId: "private-location",
  serviceId: "status-page-service",
  services: "status-page-service",
  groupIds: "check-group",
  checkIds: "check",
  statusPageId: "status-page",
  parentId: "status-page-component",
  componentId: "status-page-component",
  statusPageIds: "status-page",
  serviceIds: "status-page-service",
};

/** Returns the physical id of a resource; `null` if the project does not contain it. */
export type FindId = (type: ResourceType, logicalId: string) => string | number | null;

export function isReference(value: unknown): value is { readonly ref: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 1 &&
    typeof (value as { ref?: unknown }).ref === "string"
  );
}

function resolveValue(value: unknown, path: readonly string[], findId: FindId): unknown {
  if (isReference(value)) {
    const field = path.findLast((step) => step in referenceTypes);
    const type = field === undefined ? undefined : referenceTypes[field];
    const id = type === undefined ? null : findId(type, value.ref);
    if (id === null) {
      throw invalid(path.join("."), `refers to "${value.ref}", which the project does not contain`);
    }
    return field === "services" ? { id } : id;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => resolveValue(item, [...path, String(index)], findId));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveValue(item, [...path, key], findId)]),
  );
}

/** Replaces every `{ref}` of a payload by the id of the resource. */
export function resolveReferences(
  { payload }: Pick<DesiredResource, "payload">,
  findId: FindId,
): Fields {
  return resolveValue(payload ?? {}, [], findId) as Fields;
}
