/** A check as the editor holds it: what the API shows of it, without what nobody can set. */
import { type Fields, isSame, mergeFields } from "../../kinds/fields.ts";
import { findKind } from "../../kinds/targets.ts";

/** As the API fills them in for a check that does not name them, except for the frequency. */
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

/** For a check with settings of its own. */
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

/** What the service gives to a check, and what belongs to others. */
const readOnly = new Set(["id", "created_at", "updated_at", "alertChannels", "groupOrder"]);

export function fromCheck(check: Fields): Fields {
  const set = Object.entries(check).filter(([name]) => !readOnly.has(name));
  // The API leaves it out where it is empty.
  const places = findKind(check.checkType)?.isOrdered === true ? { privateLocations: [] } : {};
  return { ...places, ...Object.fromEntries(set) };
}

/** Another check like this one: without its secrets, and without the address of a heartbeat. */
export function fromCopy(check: Fields): Fields {
  const { name, heartbeat, ...rest } = fromCheck(check);
  const schedule = heartbeat as Fields | undefined;
  const { pingToken: _token, pingUrl: _url, ...copied } = schedule ?? {};
  return {
    ...rest,
    name: `${String(name)} (copy)`,
    ...(schedule !== undefined && { heartbeat: copied }),
  };
}

/** The same values for another kind: what all kinds have is kept. */
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

function withoutShown(values: Fields): Fields {
  const { heartbeat } = values;
  if (typeof heartbeat !== "object" || heartbeat === null) return values;
  const { pingUrl: _url, ...set } = heartbeat as Fields;
  return { ...values, heartbeat: set };
}

/** What is sent to create a check. */
export function toNewBody(values: Fields): Fields {
  return withoutShown(values);
}

/** What is sent to change a check: only what differs, so that nothing else is overwritten. */
export function toChangeBody(base: Fields, values: Fields): Fields {
  const changed = Object.entries(withoutShown(values)).filter(
    ([name, value]) => !isSame(withoutShown(base)[name], value),
  );
  return Object.fromEntries(changed);
}
