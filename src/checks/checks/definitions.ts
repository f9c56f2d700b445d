/**
 * Full definitions of checks and groups, with all defaults, for comparison with the stored
 * settings. Each definition has a form with decrypted secrets (`clear`) and one with masked secrets
 * (`shown`).
 */
import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { type CheckType, kinds } from "../../kinds/index.ts";
import { secretMask } from "../../kinds/kit/secrets.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import {
  isHidden,
  openValue,
  type StoredVariable,
  type VariableInput,
} from "../variables/index.ts";
import type { ChecksContext } from "./actions.ts";
import { mergePrivateSettings, type PrivateSettings, readClientScripts } from "./check.ts";
import { parseUnknownCheck } from "./check-bodies.ts";
import { type CheckGroup, type GroupInput, mergeGroupSettings } from "./check-group.ts";
import {
  type CheckInput,
  type CheckSettings,
  createOpener,
  mapSecrets,
  maskSecret,
  mergeCheckSettings,
} from "./check-settings.ts";
import { completeClientCheck, completeClientGroup } from "./client-bodies.ts";
import { createRequestedChecks, type NewCheck } from "./create-checks.ts";
import { mapDefaultSecrets, mergeDefaults } from "./group-defaults.ts";
import { changeGroup, createGroup, removeGroup } from "./groups/groups.ts";
import { GroupBody } from "./groups/schema.ts";
import { mapGroups } from "./groups/store.ts";
import { findCheckByFields, listStoredChecks } from "./lookup-store.ts";
import { deleteBulkChecks, mapCheckNames } from "./store.ts";

type Fields = Readonly<Record<string, unknown>>;

interface WholeDefinition {
  readonly clear: Fields;
  readonly shown: Fields;
}

interface Variable {
  readonly key: string;
  readonly value: string | null;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** Removes the channel subscriptions, which are separate resources of a project. */
function withoutSubscriptions<Settings extends { readonly alertChannelSubscriptions: unknown }>({
  alertChannelSubscriptions: _subscriptions,
  ...rest
}: Settings) {
  return rest;
}

/**
 * Removes `doubleCheck`, which has no effect. Existing clients send a different value than they
 * receive, so a comparison would always find a difference.
 */
function withoutUnused<Settings extends { readonly doubleCheck: unknown }>({
  doubleCheck: _unused,
  ...rest
}: Settings) {
  return rest;
}

/** Replaces a `null` pattern of an assertion with an empty one, because both mean no pattern. */
function unifyAssertions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unifyAssertions);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, unifyAssertions(item)]);
  const unified = Object.fromEntries(entries);
  return unified.regex === null ? { ...unified, regex: "" } : unified;
}

const isEmpty = (value: unknown) =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** Removes empty settings, because an absent private setting means the same as an empty one. */
const withoutEmpty = (settings: PrivateSettings) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => !isEmpty(value)));

function openVariables(variables: readonly StoredVariable[], encryption: Encryption): Variable[] {
  return variables.map((one) => {
    const { key, locked = false, secret = false } = one;
    return { key, value: openValue(one, encryption), locked, secret };
  });
}

function readVariables(inputs: readonly VariableInput[] | null | undefined): Variable[] {
  return (inputs ?? []).map(({ key, value, locked = false, secret = false }) => {
    return { key, value, locked, secret };
  });
}

/** Replaces masked values of variables with the stored values. A secret variable stays secret. */
function restoreVariables(inputs: readonly Variable[], stored: Fields | null): Variable[] {
  const before = (stored?.environmentVariables ?? []) as readonly Variable[];
  return inputs.map((input) => {
    const own = before.find(({ key }) => key === input.key);
    if (own === undefined || !isHidden(own)) return input;
    const isMasked = input.value === secretMask || input.value === null;
    return { ...input, secret: own.secret || input.secret, ...(isMasked && { value: own.value }) };
  });
}

const maskVariables = (variables: readonly Variable[]) =>
  variables.map((one) => (isHidden(one) ? { ...one, value: secretMask } : one));

interface CheckParts {
  readonly type: CheckType;
  readonly settings: CheckSettings;
  readonly variables: readonly Variable[];
  readonly privateSettings: PrivateSettings;
}

function describeParts({ type, settings, variables, privateSettings }: CheckParts) {
  const describe = (shown: CheckSettings, values: readonly Variable[]) =>
    unifyAssertions({
      checkType: type,
      ...withoutUnused(withoutSubscriptions(shown)),
      privateLocations: [...shown.privateLocations].sort(),
      environmentVariables: values,
      ...withoutEmpty({
        ...privateSettings,
        clientScripts: withoutEmpty(readClientScripts(kinds[type], privateSettings)),
      }),
    }) as Fields;
  return {
    clear: describe(settings, variables),
    shown: describe(mapSecrets(kinds[type], settings, maskSecret), maskVariables(variables)),
  };
}

/** Adds the ping token of the stored check if the definition does not contain a token. */
function keepToken({ type, input }: NewCheck, stored: Fields | null): CheckInput {
  const [outer = "", inner = ""] = kinds[type].pings?.tokenField.split(".") ?? [];
  const own = input[outer] as Fields | undefined;
  const before = stored?.[outer] as Fields | undefined;
  if (own === undefined || own[inner] !== undefined || before?.[inner] === undefined) return input;
  return { ...input, [outer]: { ...own, [inner]: before[inner] } };
}

/** Replaces masked secrets with the stored check's secrets, as a change through the API does. */
function keepSecrets({ type, input }: NewCheck, stored: Fields | null): CheckInput {
  if (stored === null || kinds[type].secrets === undefined) return input;
  const whole = mergeCheckSettings(kinds[type], null, input);
  const restored = kinds[type].mergeSettings(stored as unknown as CheckSettings, whole);
  return { ...input, ...restored };
}

/**
 * Returns where a check body contains the token of the ping URL: the name of a field, and the name
 * of the field inside it. Both names are empty if the kind has no token.
 */
function findTokenPath({ checkType }: Fields): readonly [outer: string, inner: string] {
  const { tokenField = "" } = kinds[checkType as CheckType].pings ?? {};
  const [outer = "", inner = ""] = tokenField.split(".");
  return [outer, inner];
}

function maskPingToken(shown: Fields): Fields {
  const [outer, inner] = findTokenPath(shown);
  const own = shown[outer] as Fields | undefined;
  return own === undefined ? shown : { ...shown, [outer]: { ...own, [inner]: secretMask } };
}

/** Removes the ping URL's token from a check body. */
function omitPingToken(body: Fields): Fields {
  const [outer, inner] = findTokenPath(body);
  const own = body[outer] as Fields | undefined;
  if (own === undefined) return body;
  const { [inner]: _token, ...rest } = own;
  return { ...body, [outer]: rest };
}

/**
 * Parses a check body as the API does. `stored` is the definition of the existing check. In `input`,
 * its secrets replace masks; `typed` has the masks.
 */
function defineCheck(
  body: Fields,
  stored: Fields | null,
): NewCheck & { readonly typed: CheckInput; readonly definition: WholeDefinition } {
  const parsed = parseUnknownCheck(completeClientCheck(structuredClone(body)));
  const { type } = parsed;
  const before = stored?.checkType === type ? stored : null;
  const typed = keepToken(parsed, before);
  const input = keepSecrets({ type, input: typed }, before);
  const settings = mergeCheckSettings(kinds[type], null, input);
  const variables = restoreVariables(readVariables(input.environmentVariables), before);
  const privateSettings = mergePrivateSettings(kinds[type], {}, input);
  return {
    type,
    // If the body contains no ping token, the settings contain a generated one. Copy this token to
    // the input, so that the check is stored with the same token as in its definition.
    input: keepToken({ type, input }, { ...settings } as Fields),
    typed: { ...typed, ...mergeCheckSettings(kinds[type], null, typed) },
    definition: describeParts({ type, settings, variables, privateSettings }),
  };
}

/** Loads the definitions of stored checks by id. The map has no entry for a deleted check. */
async function loadCheckDefinitions(
  { db, encryption }: Pick<ChecksContext, "db" | "encryption">,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, WholeDefinition>> {
  const opener = createOpener(encryption);
  const checks = await listStoredChecks(db, accountId, ids);
  return new Map(
    checks.map(({ id, kind: type, settings, variables, privateSettings }) => {
      const parts = {
        type,
        settings: mapSecrets(kinds[type], settings, opener),
        variables: openVariables(variables, encryption),
        privateSettings,
      };
      return [id, describeParts(parts)];
    }),
  );
}

function describeGroup(
  { name, settings }: Pick<CheckGroup, "name" | "settings">,
  variables: readonly Variable[],
): WholeDefinition {
  const describe = (shown: CheckGroup["settings"], values: readonly Variable[]) =>
    unifyAssertions({
      name,
      ...withoutUnused(withoutSubscriptions(shown)),
      privateLocations: [...shown.privateLocations].sort(),
      environmentVariables: values,
    }) as Fields;
  return {
    clear: describe(settings, variables),
    shown: describe(mapDefaultSecrets(settings, maskSecret), maskVariables(variables)),
  };
}

/**
 * Parses a group body. `stored` is the definition of the existing group. In `input`, its secrets
 * replace masks; `typed` has the masks.
 */
function defineGroup(
  body: Fields,
  stored: Fields | null,
): {
  readonly input: GroupInput & { readonly name: string };
  readonly typed: GroupInput;
  readonly definition: WholeDefinition;
} {
  const input = completeClientGroup(structuredClone(body)) as unknown as GroupInput & {
    readonly name: string;
  };
  assertSchema(GroupBody, input);
  const { name, environmentVariables = [] } = input;
  const merged = mergeGroupSettings(null, input);
  // Replace masked secrets in the defaults for kinds with the stored secrets.
  const settings = stored === null ? merged : { ...merged, ...mergeDefaults(stored, merged) };
  const whole = { name, ...withoutSubscriptions(settings), environmentVariables };
  const variables = restoreVariables(readVariables(environmentVariables), stored);
  const typed = { ...whole, ...withoutSubscriptions(merged) };
  return { input: whole, typed, definition: describeGroup({ name, settings }, variables) };
}

/** Loads the definitions of stored groups by id. The map has no entry for a deleted group. */
async function loadGroupDefinitions(
  { db, encryption }: Pick<ChecksContext, "db" | "encryption">,
  accountId: string,
  ids: readonly number[],
): Promise<Map<number, WholeDefinition>> {
  const opener = createOpener(encryption);
  const groups = await mapGroups(db, accountId, ids);
  return new Map(
    [...groups].map(([id, group]) => {
      const settings = mapDefaultSecrets(group.settings, opener);
      return [
        id,
        describeGroup({ ...group, settings }, openVariables(group.variables, encryption)),
      ];
    }),
  );
}

/** Deletes checks and writes a single audit entry. Ignores ids of checks that do not exist. */
async function removeChecks(
  context: Pick<ChecksContext, "db" | "clock">,
  caller: Caller,
  ids: readonly string[],
): Promise<void> {
  await inTransaction(context.db, async (db: Database) => {
    const names = await mapCheckNames(db, caller.accountId, ids);
    await deleteBulkChecks(db, caller.accountId, ids);
    const items = [...names].map(([id, name]) => ({ id, name }));
    if (items.length === 0) return;
    const note = { action: "check.deleted", targetId: randomUUIDv7(), at: context.clock.now() };
    await writeAuditEntry(db, caller, {
      ...note,
      changes: { title: `${items.length} checks` },
      items,
    });
  });
}

/**
 * Operations of other modules on definitions of checks and groups. To change a check, these modules
 * use `changeCheck`.
 */
export const definitions = {
  checks: {
    define: defineCheck,
    load: loadCheckDefinitions,
    create: createRequestedChecks,
    remove: removeChecks,
    findByFields: findCheckByFields,
    maskPingToken,
    omitPingToken,
  },
  groups: {
    define: defineGroup,
    load: loadGroupDefinitions,
    create: createGroup,
    change: changeGroup,
    remove: removeGroup,
  },
} as const;
