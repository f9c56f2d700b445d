/**
 * Restricts where hidden values (secrets) are sent. A member with write access may send a hidden
 * value only to hosts and scripts that already receive it. To send the value to another host or
 * script, the member must enter the value again or be an owner or admin. Otherwise, a member could
 * read every secret by sending it to a server that the member controls. See docs/decisions/0067.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Caller, isAllowed } from "../../access/accounts/index.ts";
import { allKinds, type CheckType, kinds } from "../../kinds/index.ts";
import { fillVariables, receivesAll } from "../../kinds/kit/variables/variables.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { KnownError } from "../../platform/errors.ts";
import type { SnippetUse } from "../snippets/index.ts";
import { isHidden, listAllVariables, openValue, type StoredVariable } from "../variables/index.ts";
import type { Check } from "./check.ts";
import {
  applyGroupSettings,
  type CheckGroup,
  findGroupScripts,
  type GroupInput,
} from "./check-group.ts";
import { type CheckInput, type CheckSettings, createOpener, mapSecrets } from "./check-settings.ts";
import {
  keepsGroupSecrets,
  keepsOwnSecrets,
  keepsVariable,
  listOwnSecrets,
} from "./entered-values.ts";
import {
  listDefaultSecrets,
  listDefaultSecretsOfAll,
  mapDefaultSecrets,
  pickDefaults,
} from "./group-defaults.ts";
import { mapGroups } from "./groups/store.ts";
import { isSnippetUsed } from "./lookup-store.ts";
import { listSenders } from "./store.ts";

/** Type of the recipient that a hidden value is sent to. */
type Recipient = "host" | "script";

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

/** Describes all stored checks that may send the hidden values of the filter, oldest first. */
async function* describeSenders(
  context: SendingContext,
  accountId: string,
  filter: SendersFilter,
): AsyncGenerator<Sending> {
  const tools = await loadTools(context, accountId);
  let afterId: string | null = null;
  for (;;) {
    const page = { ...filter, types: allSending, afterId, limit: pageSize };
    const checks: readonly Check[] = await listSenders(context.db, accountId, page);
    yield* await describeStored(context, accountId, { checks, tools });
    afterId = checks.at(-1)?.id ?? null;
    if (checks.length < pageSize) return;
  }
}

async function describeStored(
  { db, encryption }: SendingContext,
  accountId: string,
  { checks, tools }: { readonly checks: readonly Check[]; readonly tools: SendingTools },
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

/** Rejects a change of a group that could send its hidden values to another host. */
export function assertMayRedirectGroup(
  { encryption }: Pick<SendingContext, "encryption">,
  caller: Caller,
  {
    before,
    after,
    input,
  }: {
    readonly before: CheckGroup;
    readonly after: CheckGroup;
    readonly input: GroupInput;
  },
): void {
  if (mayDecide(caller) || !hasHiddenValues(before)) return;
  const opened = mapDefaultSecrets(before.settings, createOpener(encryption));
  const hidden = before.variables.filter(isHidden);
  const keeps =
    keepsGroupSecrets(opened, input) ||
    hidden.some(({ key }) => keepsVariable(input.environmentVariables, key));
  if (!keeps) return;
  const show = ({ settings, variables }: CheckGroup) => ({
    defaults: mapDefaultSecrets(pickDefaults(settings), () => ""),
    variables: variables.map((one) => [one.key, isHidden(one), openValue(one, encryption)]),
  });
  if (isDeepStrictEqual(show(before), show(after))) return;
  throw rejectHidden(`hidden values of the group ${before.name}`);
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

/** Hidden values with a common owner: a variable, a check or a group. */
interface HiddenSource {
  /** Identifies the owner. Hidden values of one owner have the same key in all checks. */
  readonly key: string;
  readonly label: string;
}

/** The hidden values that a check sends, and their destination. */
interface Sending {
  /** Origin, or host and port. For a script, which may send values anywhere, a digest of it. */
  readonly destination: string;
  readonly destinationNames: ReadonlySet<string>;
  readonly hidden: readonly HiddenSource[];
  readonly recipient: Recipient;
}

/** A check and its group with their secrets decrypted. */
interface OpenCheck {
  readonly id: string;
  readonly kind: CheckType;
  readonly settings: CheckSettings;
  readonly variables: readonly StoredVariable[];
  readonly group: CheckGroup | null;
}

interface SendingTools {
  readonly encryption: Encryption;
  readonly accountVariables: ReadonlyMap<string, StoredVariable>;
}

function noteNames(text: string, names: Set<string>): string {
  return fillVariables(text, (name) => {
    names.add(name);
    return undefined;
  });
}

/** Returns the origin of a URL, because the operator of a host sees the requests to all paths. */
function toDestination(target: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null || url.origin === "null" ? target.toLowerCase() : url.origin;
}

interface FoundVariable {
  readonly stored: StoredVariable;
  readonly source: string;
  readonly label: string;
}

/** Finds a variable by name: first in the check, then in its group, then in the account. */
function findVariable(
  { id, variables, group }: OpenCheck,
  name: string,
  { accountVariables }: SendingTools,
): FoundVariable | null {
  const isNamed = ({ key }: StoredVariable) => key === name;
  const label = `the variable ${name}`;
  const own = variables.find(isNamed);
  if (own !== undefined) return { stored: own, source: `check ${id} ${name}`, label };
  const ofGroup = group?.variables.find(isNamed);
  if (ofGroup !== undefined) {
    return { stored: ofGroup, source: `group ${group?.id} ${name}`, label };
  }
  const stored = accountVariables.get(name);
  return stored === undefined ? null : { stored, source: `account ${name}`, label };
}

/** Writes JSON with sorted keys, because the database does not preserve the order of keys. */
function writeSorted(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** Returns the names of the variables that a check uses, and the target of its requests. */
function describeRequest(check: OpenCheck, { accountVariables }: SendingTools) {
  const { variables, group } = check;
  const kind = kinds[check.kind];
  const settings = applyGroupSettings(kind, check.settings, group);
  const request = kind.toRequest(settings);
  if (receivesAll(kind, request)) {
    const own = [...variables, ...(group?.variables ?? [])].map(({ key }) => key);
    const names = new Set([...own, ...accountVariables.keys()]);
    const digest = createHash("sha256").update(writeSorted(request)).digest("hex");
    return { names, target: digest, destinationNames: names, recipient: "script" as const };
  }
  const names = new Set<string>();
  kind.texts.mapRequest(request, (text) => noteNames(text, names));
  const destinationNames = new Set<string>();
  const target = noteNames(kind.target(settings), destinationNames);
  return { names, target, destinationNames, recipient: "host" as const };
}

function describeSending(check: OpenCheck, tools: SendingTools): Sending {
  const { id, group } = check;
  const kind = kinds[check.kind];
  const { names, target, destinationNames, recipient } = describeRequest(check, tools);
  const open = (name: string) => {
    const found = findVariable(check, name, tools);
    return found === null ? undefined : (openValue(found.stored, tools.encryption) ?? undefined);
  };
  const hidden = [...names].flatMap((name): HiddenSource[] => {
    const found = findVariable(check, name, tools);
    if (found === null || !isHidden(found.stored)) return [];
    return [{ key: found.source, label: found.label }];
  });
  const own = listOwnSecrets(check.kind, check.settings);
  if (own.length > 0) {
    hidden.push({ key: `check ${id}`, label: "hidden values of the check" });
  }
  const ofGroup = group === null ? [] : listDefaultSecrets(kind, group.settings);
  if (group !== null && ofGroup.length > 0) {
    const label = `hidden values of the group ${group.name}`;
    hidden.push({ key: `group ${group.id}`, label });
  }
  const destination = toDestination(fillVariables(target, open));
  return { destination, destinationNames, hidden, recipient };
}

/** Creates the guards for changes of variables and snippets, which may reveal hidden values. */
export function createRedefinitionGuard(context: SendingContext) {
  return {
    assertMayRedefine: (caller: Caller, name: string) => assertMayRedefine(context, caller, name),
    assertMayChangeSnippet: (db: Database, caller: Caller, snippet: SnippetUse) =>
      assertMayChangeSnippet({ ...context, db }, caller, snippet),
  };
}
