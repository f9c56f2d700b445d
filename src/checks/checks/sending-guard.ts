/**
 * Restricts where hidden values (secrets) are sent. A member with write access may send a hidden
 * value only to hosts and scripts that already receive it. To send the value to another host or
 * script, the member must enter the value again or be an owner or admin. Otherwise, a member could
 * read every secret by sending it to a server that the member controls. See docs/decisions/0067.
 */
import { isDeepStrictEqual } from "node:util";
import { type Caller, isAllowed } from "../../access/accounts/index.ts";
import { allKinds, kinds } from "../../kinds/index.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { KnownError } from "../../platform/errors.ts";
import type { SnippetUse } from "../snippets/index.ts";
import { isHidden, listAllVariables, openValue } from "../variables/index.ts";
import type { Check } from "./check.ts";
import { type CheckGroup, findGroupScripts, type GroupInput } from "./check-group.ts";
import { type CheckInput, type CheckSettings, createOpener, mapSecrets } from "./check-settings.ts";
import { keepsGroupSecrets, keepsOwnSecrets, keepsVariable } from "./entered-values.ts";
import { listDefaultSecretsOfAll, mapDefaultSecrets, pickDefaults } from "./group-defaults.ts";
import { mapGroups } from "./groups/store.ts";
import { isSnippetUsed } from "./lookup-store.ts";
import {
  describeSending,
  type HiddenSource,
  type OpenCheck,
  type Recipient,
  type Sending,
  type SendingTools,
} from "./sending.ts";
import { listSenders } from "./store.ts";

interface SendingContext {
  readonly db: Database;
  readonly encryption: Encryption;
  /** Groups that the same deployment created, so that the caller entered their hidden values. */
  readonly createdGroupIds?: ReadonlySet<number>;
}

/** Number of checks that are read at once. The guard reads until it has an answer. */
const pageSize = 500;
/** Types of checks that receive every variable, even variables that they do not name. */
const allSending = allKinds.filter((kind) => kind.receivesAllVariables).map(({ type }) => type);

function mayDecide({ role }: Caller): boolean {
  return isAllowed("admin", role, false);
}

function rejectHidden(what: string, recipient: Recipient = "host"): KnownError {
  const message =
    `This would send ${what} to a ${recipient} that does not receive them yet. ` +
    "Ask an owner or admin to do it, or enter the values again.";
  return new KnownError("hiddenValues", { message });
}

function openGroup(group: CheckGroup | null, encryption: Encryption): CheckGroup | null {
  if (group === null) return null;
  return { ...group, settings: mapDefaultSecrets(group.settings, createOpener(encryption)) };
}

async function loadTools({ db, encryption }: SendingContext, accountId: string) {
  const variables = await listAllVariables(db, accountId);
  return { encryption, accountVariables: new Map(variables.map((one) => [one.key, one])) };
}

type SendersFilter = Pick<Parameters<typeof listSenders>[2], "ownId" | "groupId" | "names">;

/** Lists all stored checks that may send the hidden values of the filter, oldest first. */
async function* listPages(
  { db }: SendingContext,
  accountId: string,
  filter: SendersFilter,
): AsyncGenerator<readonly Check[]> {
  let afterId: string | null = null;
  for (;;) {
    const page = { ...filter, types: allSending, afterId, limit: pageSize };
    const checks: readonly Check[] = await listSenders(db, accountId, page);
    yield checks;
    afterId = checks.at(-1)?.id ?? null;
    if (checks.length < pageSize) return;
  }
}

/** Describes all stored checks that may send the hidden values of the filter, oldest first. */
async function* describeSenders(
  context: SendingContext,
  accountId: string,
  filter: SendersFilter,
): AsyncGenerator<Sending> {
  const tools = await loadTools(context, accountId);
  for await (const checks of listPages(context, accountId, filter)) {
    yield* await describeStored(context, accountId, { checks, tools });
  }
}

type StoredSender = Pick<Check, "id" | "kind" | "settings" | "variables">;

async function describeStored(
  { db, encryption }: SendingContext,
  accountId: string,
  { checks, tools }: { readonly checks: readonly StoredSender[]; readonly tools: SendingTools },
): Promise<Sending[]> {
  const groupIds = checks.flatMap(({ settings }) => settings.groupId ?? []);
  const groups = await mapGroups(db, accountId, [...new Set(groupIds)]);
  const opener = createOpener(encryption);
  return checks.map((check) => {
    const group = openGroup(groups.get(check.settings.groupId ?? 0) ?? null, encryption);
    const settings = mapSecrets(kinds[check.kind], check.settings, opener);
    return describeSending({ ...check, settings, group }, tools);
  });
}

interface Draft {
  /** The check as it would be stored, with decrypted secrets. */
  readonly check: Omit<OpenCheck, "group">;
  /** Settings that the input changes, with decrypted secrets; `null` for a new check. */
  readonly before: CheckSettings | null;
  /** The request body. */
  readonly input: CheckInput;
}

/** Whether the caller knows a hidden value, because the request enters it for its owner. */
function isEntered({ key }: HiddenSource, { check, before, input }: Draft): boolean {
  // An unsaved group has no id yet: the request enters all its values.
  if (/^group 0( |$)/.test(key)) return true;
  if (key === `check ${check.id}`) return !keepsOwnSecrets(check.kind, before, input);
  const own = `check ${check.id} `;
  return key.startsWith(own) && !keepsVariable(input.environmentVariables, key.slice(own.length));
}

/**
 * Returns a function that rejects a draft if the draft would send hidden values to a new recipient.
 */
export function createSendingGuard(
  context: SendingContext,
  caller: Caller,
): (draft: Draft, group: CheckGroup | null) => Promise<void> {
  const { accountId } = caller;
  let loaded: ReturnType<typeof loadTools> | null = null;
  return async (draft, group) => {
    if (mayDecide(caller) || !kinds[draft.check.kind].isOrdered) return;
    loaded ??= loadTools(context, accountId);
    const opened = { ...draft.check, group: openGroup(group, context.encryption) };
    const sending = describeSending(opened, await loaded);
    const isNew = group !== null && (context.createdGroupIds?.has(group.id) ?? false);
    const ofNewGroup = ({ key }: HiddenSource) => isNew && key.startsWith("group ");
    let hidden = sending.hidden.filter(
      (source) => !ofNewGroup(source) && !isEntered(source, draft),
    );
    if (hidden.length === 0) return;
    const names = hidden.flatMap(({ key }) => /^account (.+)$/.exec(key)?.[1] ?? []);
    const filter = { ownId: draft.check.id, groupId: group?.id ?? null, names };
    for await (const stored of describeSenders(context, accountId, filter)) {
      if (stored.destination !== sending.destination) continue;
      const allowed = new Set(stored.hidden.map(({ key }) => key));
      hidden = hidden.filter(({ key }) => !allowed.has(key));
      if (hidden.length === 0) return;
    }
    throw rejectHidden(hidden.map(({ label }) => label).join(", "), sending.recipient);
  };
}

function hasHiddenValues({ settings, variables }: CheckGroup): boolean {
  return variables.some(isHidden) || listDefaultSecretsOfAll(settings).length > 0;
}

/** Rejects a move to a group if the checks could send hidden values of the group to their hosts. */
export function assertMayMove(caller: Caller, group: CheckGroup | null): void {
  if (group === null || mayDecide(caller)) return;
  if (hasHiddenValues(group)) throw rejectHidden(`hidden values of the group ${group.name}`);
  // Scripts of the group would receive the hidden values of the check.
  if (findGroupScripts(group.settings) !== null) throw rejectHidden("hidden values", "script");
}

/**
 * Rejects new scripts of a group or a snippet if the account has hidden values, because a script
 * receives all hidden values of the checks that run it.
 */
async function assertNothingHidden(context: SendingContext, { accountId }: Caller): Promise<void> {
  const { accountVariables } = await loadTools(context, accountId);
  const variable = [...accountVariables.values()].find(isHidden);
  if (variable !== undefined) throw rejectHidden(`the variable ${variable.key}`, "script");
  const filter = { ownId: null, groupId: null, names: [] };
  for await (const { hidden, recipient } of describeSenders(context, accountId, filter)) {
    const [first] = recipient === "script" ? hidden : [];
    if (first !== undefined) throw rejectHidden(first.label, "script");
  }
}

/** Rejects a change of group scripts if the new scripts would receive hidden values. */
export async function assertMayScriptGroup(
  context: SendingContext,
  caller: Caller,
  { before, after }: { readonly before: CheckGroup | null; readonly after: CheckGroup },
): Promise<void> {
  const scripts = findGroupScripts(after.settings);
  if (mayDecide(caller) || scripts === null) return;
  if (isDeepStrictEqual(scripts, before && findGroupScripts(before.settings))) return;
  if (hasHiddenValues(after)) {
    throw rejectHidden(`hidden values of the group ${after.name}`, "script");
  }
  await assertNothingHidden(context, caller);
}

/** Rejects a change of a snippet if the snippet may run with hidden values. */
async function assertMayChangeSnippet(
  context: SendingContext,
  caller: Caller,
  snippet: SnippetUse,
): Promise<void> {
  if (mayDecide(caller)) return;
  const isUsed = await isSnippetUsed(context.db, caller.accountId, snippet);
  if (isUsed || (await snippet.isImported())) await assertNothingHidden(context, caller);
}

interface GroupChange {
  readonly before: CheckGroup;
  readonly after: CheckGroup;
  readonly input: GroupInput;
}

/**
 * Rejects a change of a group that could send its hidden values, or those that its checks send, to
 * another host. Must be called before the change is stored.
 */
export async function assertMayRedirectGroup(
  context: SendingContext,
  caller: Caller,
  { before, after, input }: GroupChange,
): Promise<void> {
  if (mayDecide(caller)) return;
  const { encryption } = context;
  const show = ({ settings, variables }: CheckGroup) => ({
    defaults: mapDefaultSecrets(pickDefaults(settings), () => ""),
    scripts: findGroupScripts(settings),
    variables: variables.map((one) => [one.key, isHidden(one), openValue(one, encryption)]),
  });
  if (isDeepStrictEqual(show(before), show(after))) return;
  const opened = mapDefaultSecrets(before.settings, createOpener(encryption));
  const hidden = before.variables.filter(isHidden);
  const keeps =
    keepsGroupSecrets(opened, input) ||
    hidden.some(({ key }) => keepsVariable(input.environmentVariables, key));
  if (keeps && hasHiddenValues(before)) {
    throw rejectHidden(`hidden values of the group ${before.name}`);
  }
  const filter = { ownId: null, groupId: before.id, names: [] };
  for await (const page of listPages(context, caller.accountId, filter)) {
    const checks = page.filter(({ settings }) => settings.groupId === before.id);
    await assertMayRegroup(context, caller, { checks, group: after });
  }
}

/**
 * Rejects another group, or another state of the group, of stored checks that would send hidden
 * values to a host that does not receive them yet. Values of the group itself are not judged here.
 */
export async function assertMayRegroup(
  context: SendingContext,
  caller: Caller,
  {
    checks,
    group,
  }: { readonly checks: readonly StoredSender[]; readonly group: CheckGroup | null },
): Promise<void> {
  if (mayDecide(caller)) return;
  const { accountId } = caller;
  const tools = await loadTools(context, accountId);
  const opener = createOpener(context.encryption);
  const opened = openGroup(group, context.encryption);
  const ordered = checks.filter(({ kind }) => kinds[kind].isOrdered);
  const now = await describeStored(context, accountId, { checks: ordered, tools });
  let missing = ordered.flatMap((check, index) => {
    const settings = mapSecrets(kinds[check.kind], check.settings, opener);
    const later = describeSending({ ...check, settings, group: opened }, tools);
    const stored = now[index];
    return later.hidden
      .filter(({ key }) => !key.startsWith("group "))
      .map((source) => ({ ...later, source }))
      .filter((one) => stored === undefined || !isSent(one, stored));
  });
  if (missing.length === 0) return;
  const keys = missing.map(({ source: { key } }) => key);
  const names = keys.flatMap((key) => /^account (.+)$/.exec(key)?.[1] ?? []);
  const filter = { ownId: null, groupId: null, names: [...new Set(names)] };
  for await (const stored of describeSenders(context, accountId, filter)) {
    missing = missing.filter((one) => !isSent(one, stored));
  }
  const [first] = missing;
  if (first !== undefined) throw rejectHidden(first.source.label, first.recipient);
}

/** Returns whether a stored check sends a hidden value to a destination already. */
function isSent(
  { source, destination }: { readonly source: HiddenSource; readonly destination: string },
  stored: Sending,
): boolean {
  return stored.destination === destination && stored.hidden.some(({ key }) => key === source.key);
}

/**
 * Rejects a new value of a variable if a check uses the variable in its host and sends other hidden
 * values to that host.
 */
async function assertMayRedefine(
  context: SendingContext,
  caller: Caller,
  name: string,
): Promise<void> {
  if (mayDecide(caller)) return;
  const { accountId } = caller;
  const filter = { ownId: null, groupId: null, names: [name] };
  for await (const { destinationNames, hidden } of describeSenders(context, accountId, filter)) {
    const other = hidden.find(({ key }) => key !== `account ${name}`);
    if (destinationNames.has(name) && other !== undefined) throw rejectHidden(other.label);
  }
}

/** Creates the guards for changes of variables and snippets, which may reveal hidden values. */
export function createRedefinitionGuard(context: SendingContext) {
  return {
    assertMayRedefine: (db: Database, caller: Caller, name: string) =>
      assertMayRedefine({ ...context, db }, caller, name),
    assertMayChangeSnippet: (db: Database, caller: Caller, snippet: SnippetUse) =>
      assertMayChangeSnippet({ ...context, db }, caller, snippet),
  };
}
