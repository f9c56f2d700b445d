/** Form values of a check: its writable fields in the API. */

import { findKind } from "../../kinds/index.ts";
import { type Fields, isSame, mergeFields, omitAt } from "../../parts/fields.ts";

/** The API's defaults, except for the frequency. */
const orderedDefaults: Fields = {
  frequency: 1,
  locations: null,
  privateLocations: [],
  runParallel: false,
  retryStrategy: null,
  shouldFail: false,
};

const commonDefaults: Fields = {
  name: "",
  activated: true,
  muted: false,
  tags: [],
  groupId: null,
  useGlobalAlertSettings: true,
};

/** Initial values of a check's own alert settings. */
export const defaultAlertSettings: Fields = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
};

export function createValues(checkType: string): Fields {
  const kind = findKind(checkType);
  return {
    checkType,
    ...commonDefaults,
    ...(kind?.isOrdered && orderedDefaults),
    ...(kind?.holdsVariables && { environmentVariables: [] }),
    ...kind?.defaults,
  };
}

/** Fields set by the server or by other resources. */
const readOnly = new Set(["id", "created_at", "updated_at", "alertChannels", "groupOrder"]);

export function fromCheck(check: Fields): Fields {
  const set = Object.entries(check).filter(([name]) => !readOnly.has(name));
  // The API omits it if it is empty.
  const places = findKind(check.checkType)?.isOrdered === true ? { privateLocations: [] } : {};
  return { ...places, ...Object.fromEntries(set) };
}

/** Copies a check without its secrets and without values that belong to one check. */
export function fromCopy(check: Fields): Fields {
  const { uniquePaths = [], readOnlyPaths = [] } = findKind(check.checkType) ?? {};
  const copied = [...uniquePaths, ...readOnlyPaths].reduce(omitAt, fromCheck(check));
  return { ...copied, name: `${String(copied.name)} (copy)` };
}

/** Switches to another check type and keeps the common fields. */
export function changeKind(values: Fields, checkType: string): Fields {
  const kept = Object.keys({ ...commonDefaults, ...orderedDefaults });
  const common = Object.fromEntries(
    [...kept, "alertSettings", "alertChannelSubscriptions", "triggerIncident"]
      .filter((name) => values[name] !== undefined)
      .map((name) => [name, values[name]]),
  );
  const fresh = createValues(checkType);
  const isOrdered = findKind(checkType)?.isOrdered === true;
  const fitting = Object.entries(common).filter(
    ([name]) => isOrdered || !Object.hasOwn(orderedDefaults, name),
  );
  return mergeFields(fresh, Object.fromEntries(fitting));
}

/** Request body of a new check. */
export function toNewBody(values: Fields): Fields {
  return (findKind(values.checkType)?.readOnlyPaths ?? []).reduce(omitAt, values);
}

/** Request body of a change: only fields that differ, so that nothing else is overwritten. */
export function toChangeBody(base: Fields, values: Fields): Fields {
  const before = toNewBody(base);
  const changed = Object.entries(toNewBody(values)).filter(
    ([name, value]) => !isSame(before[name], value),
  );
  return Object.fromEntries(changed);
}
