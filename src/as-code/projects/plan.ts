import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type Definition,
  type Fields,
  keyOf,
  type OwnedResource,
  type ResourceType,
} from "./resource.ts";

/** Pure functions that plan the changes from the stored resources to the desired ones. */

/** What a plan does with a resource. `ADOPT` makes an existing object part of the project. */
export type PlanAction = "CREATE" | "ADOPT" | "UPDATE" | "UNCHANGED" | "DELETE" | "DETACH" | "KEEP";
/**
 * What happens to owned resources that the code no longer contains: they are deleted, they remain
 * without an owner, or they remain owned and unchanged.
 */
export type MissingRule = "delete" | "detach" | "keep";
/**
 * Who changed a property since the last deployment: the code, another user or client, or both.
 * `unmanaged` marks a subscription or a private location that the project does not own.
 */
export type ChangeOrigin = "code" | "remote" | "both" | "unmanaged";

/** Who changed a resource. If the code and others changed it, the origin is the code. */
export type EntryOrigin = Exclude<ChangeOrigin, "both">;

export interface PropertyChange {
  /** Path of the property, as a JSON Pointer. */
  readonly path: string;
  readonly origin: ChangeOrigin;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Change that was made outside the code since the last deployment. */
  readonly remote?: { readonly before?: unknown; readonly after?: unknown };
  readonly secret?: true;
}

export interface PlanEntry {
  readonly type: ResourceType;
  readonly logicalId: string;
  /** Id of the stored resource; `null` if the resource does not exist. */
  readonly physicalId: string | null;
  readonly action: PlanAction;
  readonly origin?: EntryOrigin;
  readonly changes: readonly PropertyChange[];
  /** Stored resource without secrets; `null` if the resource does not exist. */
  readonly before: Fields | null;
  /** Desired resource without secrets; `null` if the code does not contain the resource. */
  readonly after: Fields | null;
  /** Check or group under which clients show this resource. */
  readonly foldedInto?: { readonly type: ResourceType; readonly logicalId: string };
}

export interface DesiredState {
  readonly type: ResourceType;
  readonly logicalId: string;
  readonly definition: Definition;
}

export interface PlanInput {
  readonly desired: readonly DesiredState[];
  readonly owned: readonly OwnedResource[];
  /** Definitions of the stored resources, keyed by `keyOf`. Deleted resources are absent. */
  readonly current: ReadonlyMap<string, Definition>;
  /** Keys of the existing resources that this plan adopts. */
  readonly adopted?: ReadonlySet<string>;
  readonly missing: MissingRule;
  /**
   * Returns whether a resource is part of a desired check or group. A part that the code omits is
   * deleted even if `missing` is "keep".
   */
  readonly isPart?: (resource: OwnedResource) => boolean;
}

const maxShownLength = 2_000;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const escapeStep = (step: string) => step.replaceAll("~", "~0").replaceAll("/", "~1");

/** Lists the path and value of each field. Flattens nested objects, but not lists. */
function flatten(fields: Fields, prefix = ""): [path: string, value: unknown][] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}/${escapeStep(name)}`;
    const isBranch = isFields(value) && Object.keys(value).length > 0;
    return isBranch ? flatten(value, path) : [[path, value] as [string, unknown]];
  });
}

/** Replaces long values with a hash, so that the plan of a large project stays small. */
function showValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || text.length <= maxShownLength) return value;
  return { $hash: createHash("sha256").update(text).digest("hex") };
}

interface Sides {
  readonly want: Definition;
  readonly is: Definition;
  readonly deployed: Fields | null;
  readonly baseline: Definition | null;
}

/**
 * Returns who changed a property, or `null` if it needs no change. Compares with the last
 * deployment, because the server may store a value in a different form than the code.
 */
function decideOrigin(path: string, sides: Record<keyof Sides, Map<string, unknown> | null>) {
  const want = sides.want?.get(path);
  const is = sides.is?.get(path);
  // Some definitions omit an unset field, others contain `null`.
  if (isDeepStrictEqual(want ?? null, is ?? null)) return null;
  if (sides.deployed === null || sides.baseline === null) return "code" as const;
  const isCode = !isDeepStrictEqual(want, sides.deployed.get(path));
  const isRemote = !isDeepStrictEqual(is, sides.baseline.get(path));
  if (isCode && isRemote) return "both" as const;
  return isCode ? ("code" as const) : isRemote ? ("remote" as const) : null;
}

/** Lists the properties that differ between two definitions. Secrets are masked. */
export function compareDefinitions({ want, is, deployed, baseline }: Sides): PropertyChange[] {
  const map = (fields: Fields | null) => fields && new Map(flatten(fields));
  const clear = {
    want: map(want.clear),
    is: map(is.clear),
    deployed: map(deployed),
    baseline: map(baseline?.clear ?? null),
  };
  const shown = {
    want: new Map(flatten(want.shown)),
    is: new Map(flatten(is.shown)),
    baseline: map(baseline?.shown ?? null),
  };
  const paths = new Set([...(clear.want?.keys() ?? []), ...(clear.is?.keys() ?? [])]);
  return [...paths].sort().flatMap((path): PropertyChange[] => {
    const origin = decideOrigin(path, clear);
    if (origin === null) return [];
    const isSecret = [shown.want, shown.is].some(
      (one, index) =>
        !isDeepStrictEqual(one.get(path), (index === 0 ? clear.want : clear.is)?.get(path)),
    );
    if (isSecret) {
      const masked = { $masked: "changed" };
      return [{ path, origin, before: masked, after: masked, secret: true }];
    }
    const before = showValue(shown.is.get(path));
    const hasRemote = origin !== "code" && clear.baseline !== null;
    return [
      {
        path,
        origin,
        before,
        after: showValue(shown.want.get(path)),
        ...(hasRemote && {
          remote: { before: showValue(shown.baseline?.get(path)), after: before },
        }),
      },
    ];
  });
}

/** Sets or removes the value at a path that `flatten` returned. */
function setAt(fields: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.slice(1).split("/");
  const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = names.pop() ?? "";
  let branch = fields;
  for (const name of names) {
    if (!isFields(branch[name])) branch[name] = {};
    branch = branch[name] as Record<string, unknown>;
  }
  if (value === undefined) delete branch[last];
  else branch[last] = value;
}

/**
 * Copies remote changes to a payload: values of properties that others, but not the code, have
 * changed since the last deployment. Returns the payload itself if there are no remote changes.
 */
export function keepRemoteChanges(
  payload: Fields,
  {
    want,
    is,
    owned,
  }: {
    readonly want: Definition;
    readonly is: Definition | null;
    readonly owned: OwnedResource | undefined;
  },
): Fields {
  if (is === null || !owned?.deployed || owned.baseline === null) return payload;
  const sides = {
    want: new Map(flatten(want.clear)),
    is: new Map(flatten(is.clear)),
    deployed: new Map(flatten(owned.deployed)),
    baseline: new Map(flatten(owned.baseline.clear)),
  };
  const whole = structuredClone(want.clear) as Record<string, unknown>;
  const names = new Set<string>();
  for (const path of new Set([...sides.want.keys(), ...sides.is.keys()])) {
    if (decideOrigin(path, sides) !== "remote") continue;
    setAt(whole, path, sides.is.get(path));
    names.add(path.slice(1).split("/")[0] ?? "");
  }
  if (names.size === 0) return payload;
  const kept = [...names].map((name) => [name, whole[name]]);
  return { ...payload, ...Object.fromEntries(kept) };
}

export function joinOrigins(changes: readonly PropertyChange[]): EntryOrigin {
  const origins = new Set(changes.map(({ origin }) => origin));
  if (origins.size === 0 || origins.has("code") || origins.has("both")) return "code";
  return origins.has("remote") ? "remote" : "unmanaged";
}

/**
 * A masked value of a resource. An object such as an HTTP header may have flags that decide whether
 * its value is masked. `when` names these flags, and is absent if the object has no flags.
 */
export interface Redaction {
  /** Path of the masked value, as a JSON Pointer. */
  readonly path: string;
  readonly kind: "value" | "object";
  readonly when?: "locked" | "lockedOrSecret";
}

/** Lists the values that are masked in the shown form of a resource. */
export function listRedactions({ clear, shown }: Definition): Redaction[] {
  const walk = (own: unknown, masked: unknown, path: string, item: Fields): Redaction[] => {
    if (isDeepStrictEqual(own, masked)) return [];
    const isBranch = isFields(own) || Array.isArray(own);
    if (isBranch && typeof masked === "object" && masked !== null) {
      const inner = isFields(own) ? own : {};
      return Object.entries(own).flatMap(([name, value]) =>
        walk(value, (masked as Fields)[name], `${path}/${escapeStep(name)}`, inner),
      );
    }
    const when = "secret" in item ? "lockedOrSecret" : "locked" in item ? "locked" : null;
    return [{ path, kind: isBranch ? "object" : "value", ...(when && { when }) }];
  };
  return walk(clear, shown, "", {});
}

function planOne(
  { type, logicalId, definition }: DesiredState,
  {
    owned,
    current,
    isAdopted,
  }: {
    readonly owned: OwnedResource | null;
    readonly current: Definition | null;
    readonly isAdopted: boolean;
  },
): PlanEntry {
  const base = { type, logicalId, changes: [], before: null, after: definition.shown };
  if (owned === null) return { ...base, physicalId: null, action: "CREATE", origin: "code" };
  // The resource was deleted outside the code, so it is created again.
  if (current === null) return { ...base, physicalId: null, action: "CREATE", origin: "remote" };
  const { physicalId, deployed, baseline } = owned;
  const changes = compareDefinitions({ want: definition, is: current, deployed, baseline });
  const found = { ...base, physicalId, before: current.shown };
  if (isAdopted) return { ...found, action: "ADOPT", origin: "code", changes };
  // The baseline is the stored state of a resource after its last deployment. A resource without a
  // baseline is updated even if nothing has changed, so that a baseline is stored. With a baseline,
  // later plans can find out who changed a property.
  if (changes.length === 0 && baseline !== null) return { ...found, action: "UNCHANGED" };
  return { ...found, action: "UPDATE", origin: joinOrigins(changes), changes };
}

/**
 * Plans the changes of all resources. After these changes are applied, a plan of the same input is
 * empty.
 */
export function planChanges(input: PlanInput): PlanEntry[] {
  const { desired, owned, current, missing, adopted, isPart } = input;
  const ownedByKey = new Map(owned.map((one) => [keyOf(one), one]));
  const desiredKeys = new Set(desired.map(keyOf));
  const planned = desired.map((one) =>
    planOne(one, {
      owned: ownedByKey.get(keyOf(one)) ?? null,
      current: current.get(keyOf(one)) ?? null,
      isAdopted: adopted?.has(keyOf(one)) ?? false,
    }),
  );
  const actions = { delete: "DELETE", detach: "DETACH", keep: "KEEP" } as const;
  const gone = owned
    .filter((one) => !desiredKeys.has(keyOf(one)))
    .map((one): PlanEntry => {
      const { type, logicalId, physicalId } = one;
      const before = current.get(keyOf(one))?.shown ?? null;
      const action = actions[missing === "keep" && isPart?.(one) ? "delete" : missing];
      const entry = { type, logicalId, physicalId, action, before, after: null };
      return { ...entry, origin: "code", changes: [] };
    });
  return [...planned, ...gone];
}
