/** Tells hidden values that a request enters from those that it keeps from the database. */
import { randomUUID } from "node:crypto";
import { type CheckType, kinds } from "../../kinds/index.ts";
import { secretMask } from "../../kinds/kit/secrets.ts";
import { type CheckGroup, type GroupInput, mergeGroupSettings } from "./check-group.ts";
import {
  type CheckInput,
  type CheckSettings,
  mapSecrets,
  mergeCheckSettings,
} from "./check-settings.ts";
import { listDefaultSecretsOfAll, mapDefaultSecrets } from "./group-defaults.ts";

type Variables = CheckInput["environmentVariables"];

/** Whether a request leaves the value of a variable as it is stored. */
export function keepsVariable(variables: Variables, name: string): boolean {
  if (variables === undefined) return true;
  const entry = variables?.find(({ key }) => key === name);
  return entry !== undefined && (entry.value === null || entry.value === secretMask);
}

/** Lists the secrets in the settings of a check. */
export function listOwnSecrets(kind: CheckType, settings: CheckSettings): string[] {
  const values: string[] = [];
  mapSecrets(kinds[kind], settings, (text) => {
    if (text !== "") values.push(text);
    return text;
  });
  return values;
}

/**
 * Whether a change keeps stored secrets of the settings `before`. Merges the change with a marker
 * in place of each secret. What a request contains elsewhere, such as guesses, has no influence.
 */
export function keepsOwnSecrets(
  kind: CheckType,
  before: CheckSettings | null,
  input: CheckInput,
): boolean {
  if (before === null) return false;
  const marker = randomUUID();
  const marked = mapSecrets(kinds[kind], before, (text) => (text === "" ? text : marker));
  const merged = mergeCheckSettings(kinds[kind], marked, input);
  return listOwnSecrets(kind, merged).some((text) => text.includes(marker));
}

/** Whether a change keeps stored secrets of the settings of a group. */
export function keepsGroupSecrets(before: CheckGroup["settings"], input: GroupInput): boolean {
  const marker = randomUUID();
  const marked = mapDefaultSecrets(before, (text) => (text === "" ? text : marker));
  const merged = mergeGroupSettings(marked, input);
  return listDefaultSecretsOfAll(merged).some((text) => text.includes(marker));
}
