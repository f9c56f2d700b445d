import type { TProperties } from "typebox";
import { allKinds } from "../../kinds/index.ts";
import type { Fault } from "../../kinds/kit/definition.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import type { ChangeText, GroupScripts } from "../../kinds/kit/secrets.ts";
import type { CheckSettings } from "./check-settings.ts";

/** Defaults that a group sets for its checks of one kind. A group has one field per kind. */

type GroupDefaults = NonNullable<Kind["groupDefaults"]>;

const all = allKinds.flatMap(({ groupDefaults }) => groupDefaults ?? []);

type Fields = Readonly<Record<string, unknown>>;

/** Returns the value of a field; `null` if the group was stored before the field existed. */
function readField(settings: object, field: string): unknown {
  return (settings as Fields)[field] ?? null;
}

export function gatherDefaultFields(
  read: (defaults: Pick<GroupDefaults, "input" | "shown">) => TProperties[string],
): TProperties {
  return Object.fromEntries(all.map((defaults) => [defaults.field, read(defaults)]));
}

/** Applies `change` to the input's fields that contain defaults, and returns only these fields. */
export function mapDefaultInputs(
  input: Fields,
  change: (defaults: unknown) => unknown,
): Record<string, unknown> {
  const named = all.map(({ field }) => field).filter((field) => input[field] !== undefined);
  return Object.fromEntries(named.map((field) => [field, change(input[field])]));
}

/** Merges an input into the defaults of all kinds. Omitted fields keep their value. */
export function mergeDefaults(before: object | null, input: object): object {
  return Object.fromEntries(
    all.map(({ field, merge }) => {
      const stored = before === null ? null : readField(before, field);
      return [field, merge(stored, readField(input, field))];
    }),
  );
}

export function findDefaultFaults(settings: object): Fault[] {
  return all.flatMap(({ field, findFaults, merge }) =>
    findFaults(readField(settings, field) ?? merge(null, null)).map(({ key, rule }) => ({
      key: `${field}.${key}`,
      rule,
    })),
  );
}

export function mapDefaultSecrets<Settings extends object>(
  settings: Settings,
  change: ChangeText,
): Settings {
  const changed = all.map(({ field, mapSecrets, merge }) => [
    field,
    mapSecrets(readField(settings, field) ?? merge(null, null), change),
  ]);
  return { ...settings, ...Object.fromEntries(changed) };
}

/** Adds the decrypted passwords of a stored group to the group's settings in a response. */
export function withPasswords<Shown extends object>(
  shown: Shown,
  stored: object,
  open: ChangeText,
): Shown {
  const opened = all.flatMap(({ field, withPassword }) => {
    const kept = readField(stored, field);
    return kept === null ? [] : [[field, withPassword(readField(shown, field), kept, open)]];
  });
  return { ...shown, ...Object.fromEntries(opened) };
}

/** Returns only the fields that contain defaults for a kind. */
export function pickDefaults(settings: object): object {
  return Object.fromEntries(all.map(({ field }) => [field, readField(settings, field)]));
}

function listSecretsOf({ field, mapSecrets, merge }: GroupDefaults, settings: object): string[] {
  const values: string[] = [];
  mapSecrets(readField(settings, field) ?? merge(null, null), (text) => {
    if (text !== "") values.push(text);
    return text;
  });
  return values;
}

/** Lists the secrets that a group adds to the requests of its checks of the kind. */
export function listDefaultSecrets(
  { groupDefaults }: Pick<Kind, "groupDefaults">,
  settings: object,
): string[] {
  return groupDefaults === undefined ? [] : listSecretsOf(groupDefaults, settings);
}

export function listDefaultSecretsOfAll(settings: object): string[] {
  return all.flatMap((defaults) => listSecretsOf(defaults, settings));
}

export function applyDefaults(
  { groupDefaults }: Pick<Kind, "groupDefaults">,
  settings: CheckSettings,
  { group, scripts }: { readonly group: object; readonly scripts: GroupScripts | null },
): CheckSettings {
  if (groupDefaults === undefined) return settings;
  const { field, merge, apply } = groupDefaults;
  const stored = readField(group, field);
  if (stored === null && scripts === null) return settings;
  // The cast is safe because `apply` changes only fields of the kind.
  return apply(settings, stored ?? merge(null, null), scripts ?? undefined) as CheckSettings;
}
