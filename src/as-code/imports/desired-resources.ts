import {
  type DesiredResource,
  keyOf,
  type OwnedResource,
  type StoredState,
} from "../projects/index.ts";
import type { RunOptions } from "./import.ts";
import type { DesiredResource as ReadResource } from "./reading.ts";

/**
 * Pure functions that decide which resources an import run writes. The module `projects` compares
 * these resources with the account and applies the differences.
 */

type Fields = Readonly<Record<string, unknown>>;

interface ImportRequest {
  readonly resources: readonly DesiredResource[];
  readonly stored: StoredState;
  /** Origins of the checks that this run creates. */
  readonly newChecks: ReadonlySet<string>;
  readonly notes: readonly string[];
}

function readReference(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("ref" in value)) return null;
  return String(value.ref);
}

/**
 * Removes references to resources that are not imported. A field with such a reference becomes
 * `null`, and a list item is removed.
 */
export function dropReferences(value: unknown, known: ReadonlySet<string>): unknown {
  const ref = readReference(value);
  if (ref !== null) return known.has(ref) ? value : null;
  if (Array.isArray(value)) {
    return value
      .filter((item) => known.has(readReference(item) ?? "") || readReference(item) === null)
      .map((item) => dropReferences(item, known));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, dropReferences(item, known)]),
  );
}

/**
 * Returns the keys of checks in the file that an earlier import created with another type. The type
 * of an existing check cannot change, so the import creates a new check.
 */
function findRetyped(resources: readonly ReadResource[], { current }: StoredState): Set<string> {
  const retyped = resources.filter((resource) => {
    const stored = current.get(keyOf(resource))?.clear;
    const { type, payload } = resource;
    return type === "check" && stored !== undefined && stored.checkType !== payload.checkType;
  });
  return new Set(retyped.map(keyOf));
}

/**
 * Returns whether to import a resource. Subscriptions are imported only for new checks and groups.
 * A subscription that a user removed is therefore not created again.
 */
function isWanted(
  { type, payload }: ReadResource,
  known: ReadonlySet<string>,
  created: ReadonlySet<string>,
): boolean {
  if (type !== "alert-channel-subscription") return true;
  const channel = readReference(payload.alertChannelId) ?? "";
  const target = readReference(payload.checkId) ?? readReference(payload.groupId) ?? "";
  return known.has(channel) && created.has(target);
}

/** Mutes new checks only, so that a check that a user unmuted stays unmuted. */
function decideMuted(
  { type, payload }: ReadResource,
  owned: OwnedResource | undefined,
  muted: boolean,
): Fields {
  if (type !== "check") return payload;
  if (owned?.deployed) return { ...payload, muted: owned.deployed.muted };
  return muted ? { ...payload, muted } : payload;
}

/**
 * Decides which resources of a file are written. An excluded resource that an earlier import
 * created is not deleted, and other resources can still reference it.
 */
export function chooseResources(
  read: readonly ReadResource[],
  { exclude, muted }: Pick<RunOptions, "exclude" | "muted">,
  before: StoredState,
): ImportRequest {
  const excluded = new Set(exclude);
  const included = read.filter(({ logicalId }) => !excluded.has(logicalId));
  const retyped = findRetyped(included, before);
  const owned = before.owned.filter(
    (one) => before.current.has(keyOf(one)) && !retyped.has(keyOf(one)),
  );
  const existing = new Map(owned.map((one) => [keyOf(one), one]));
  const created = included.filter((one) => !existing.has(keyOf(one)));
  const createdIds = new Set(created.map(({ logicalId }) => logicalId));
  const newChecks = new Set(
    created.filter(({ type }) => type === "check").map(({ logicalId }) => logicalId),
  );
  const known = new Set([...included, ...owned].map(({ logicalId }) => logicalId));
  const members = included
    .filter((one) => isWanted(one, known, createdIds))
    .map((one): DesiredResource => {
      const payload = decideMuted(one, existing.get(keyOf(one)), muted);
      const { type, logicalId } = one;
      const written = dropReferences(payload, known) as Fields;
      const isMember = true;
      return { type, logicalId, payload: written, physicalId: null, isMember, sourceFile: null };
    });
  const memberKeys = new Set(members.map(keyOf));
  const others = owned
    .filter((one) => !memberKeys.has(keyOf(one)))
    .map(({ type, logicalId, physicalId }): DesiredResource => {
      return { type, logicalId, payload: null, physicalId, isMember: false, sourceFile: null };
    });
  const current = new Map([...before.current].filter(([key]) => existing.has(key)));
  const notes = included
    .filter((one) => retyped.has(keyOf(one)))
    .map(({ logicalId }) => `${logicalId} has another type now: a new check was created.`);
  return { resources: [...members, ...others], stored: { owned, current }, newChecks, notes };
}
