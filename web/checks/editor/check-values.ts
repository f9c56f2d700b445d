/** Converts between a check and its form values, which are the writable fields of the API. */

import type { AnyValues, Check, CheckKind } from "../../kinds/form-values.ts";
import { findKind } from "../../kinds/index.ts";
import { isSame, mergeFields, omitAt } from "../../parts/fields.ts";

/** Fields that the form cannot edit, because the server or another resource sets them. */
const serverFields = new Set(["id", "created_at", "updated_at", "alertChannels", "groupOrder"]);

function withoutServerFields(check: object): AnyValues {
  const set = Object.entries(check).filter(([name]) => !serverFields.has(name));
  return Object.fromEntries(set);
}

/** Interval in minutes of a new check, unless its type proposes another. */
const proposedMinutes = 1;

/** Returns the values of a new check: the API's defaults and an empty target. */
export function createValues({ type, defaults }: CheckKind): AnyValues {
  const target = findKind(type);
  const proposed = [target?.proposed ?? {}, target?.target?.read("") ?? {}];
  const values: AnyValues = proposed.reduce(mergeFields, withoutServerFields(defaults));
  const isProposed = defaults.frequency === undefined || target?.proposed?.frequency !== undefined;
  const frequency = isProposed ? {} : ({ frequency: proposedMinutes } as const);
  return { ...values, ...frequency, checkType: type, name: "" };
}

export function fromCheck(check: Check): AnyValues {
  // The API omits `privateLocations` if the list is empty.
  const places = findKind(check.checkType)?.isOrdered === true ? { privateLocations: [] } : {};
  return { ...places, ...withoutServerFields(check) };
}

/**
 * Returns the form values for a copy of a check, without read-only and generated values such as
 * tokens.
 */
export function fromCopy(check: Check, kind: CheckKind): AnyValues {
  const own = [...kind.generatedFields, ...kind.readOnlyFields];
  return { ...own.reduce(omitAt, fromCheck(check)), name: `${check.name} (copy)` };
}

const scheduleFields = [
  "frequency",
  "frequencyOffset",
  "locations",
  "privateLocations",
  "runParallel",
  "retryStrategy",
  "shouldFail",
] as const satisfies readonly (keyof AnyValues)[];

/** Fields with the same meaning in all check types. */
const commonFields = [
  "name",
  "description",
  "activated",
  "muted",
  "tags",
  "groupId",
  "useGlobalAlertSettings",
  "alertSettings",
  "alertChannelSubscriptions",
  "triggerIncident",
] as const satisfies readonly (keyof AnyValues)[];

/** Changes the check type and keeps the values of the fields that both types share. */
export function changeKind(values: AnyValues, kind: CheckKind): AnyValues {
  const fresh = createValues(kind);
  const isScheduled = fresh.frequency !== undefined;
  const isAllowed = kind.limits.frequency?.enum?.includes(values.frequency ?? 0) ?? false;
  const dropped: readonly string[] = isAllowed ? [] : ["frequency", "frequencyOffset"];
  const kept = [...commonFields, ...(isScheduled ? scheduleFields : [])]
    .filter((name) => values[name] !== undefined && !dropped.includes(name))
    .map((name) => [name, values[name]]);
  return mergeFields(fresh, Object.fromEntries(kept));
}

/** Returns the request body that creates a check. */
export function toNewBody(values: AnyValues, { readOnlyFields }: CheckKind): AnyValues {
  return readOnlyFields.reduce(omitAt, values);
}

/**
 * Returns the request body of an update. It contains only changed fields, so that the update does
 * not overwrite other fields.
 */
export function toChangeBody(base: AnyValues, values: AnyValues, kind: CheckKind): AnyValues {
  const before = new Map(Object.entries(toNewBody(base, kind)));
  const changed = Object.entries(toNewBody(values, kind)).filter(
    ([name, value]) => !isSame(before.get(name), value),
  );
  return Object.fromEntries(changed);
}
