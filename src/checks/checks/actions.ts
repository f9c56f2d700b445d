import { randomUUIDv7 } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Caller, createOnce, writeAuditEntry } from "../../access/accounts/index.ts";
import { replaceSubscriptions } from "../../channels/alert-channels/index.ts";
import { type CheckType, kinds } from "../../kinds/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { findTakenConstraint } from "../../platform/database-errors.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { conflict, invalid, invalidFields, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/send.ts";
import { storeVariables } from "../variables/index.ts";
import { type Check, mergePrivateSettings, tagCheck } from "./check.ts";
import { type CheckBody, parseCheckChange, parseNewCheck } from "./check-bodies.ts";
import { applyGroupSettings, type CheckGroup } from "./check-group.ts";
import {
  type CheckInput,
  type CheckSettings,
  createOpener,
  createSeal,
  mapSecrets,
  mergeCheckSettings,
} from "./check-settings.ts";
import { createRequestedChecks, type NewCheck, type RequestedCheck } from "./create-checks.ts";
import { buildGroup } from "./groups/schema.ts";
import { mapGroups } from "./groups/store.ts";
import { findSettingsFaults, holdReferences } from "./reference-faults.ts";
import { createSendingGuard } from "./sending-guard.ts";
import {
  type ChecksQuery,
  deleteCheck,
  findCheck,
  findCheckForUpdate,
  listChecks,
  updateCheck,
} from "./store.ts";
import { type SubscribedCheck, withChannels } from "./subscribed-channels.ts";

export interface ChecksContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly publicUrl: () => string;
  /** Collects the groups that this deployment creates, whose hidden values it therefore enters. */
  readonly createdGroupIds?: Set<number>;
}

export interface CheckListContext extends ChecksContext {
  /** Lists ids of the account's checks without recent results. Provided by the `states` module. */
  readonly listSilentIds: (accountId: string) => Promise<readonly string[]>;
  /** Location where a check without configured locations runs. */
  readonly defaultLocation: string;
}

/** Validates settings and their references to other objects. Returns the group; `null` if none. */
async function assertSound(
  db: Database,
  accountId: string,
  check: Pick<Check, "kind" | "settings">,
  before: CheckSettings | null,
): Promise<CheckGroup | null> {
  const references = await holdReferences(db, accountId, [check]);
  const faults = findSettingsFaults(check, before, references);
  if (faults.length > 0) throw invalidFields(faults);
  return references.groups.get(check.settings.groupId ?? 0) ?? null;
}

/** If another check has the ping token, throws a field error that does not reveal that check. */
async function rejectDuplicateToken<Outcome>(
  type: CheckType,
  work: Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work;
  } catch (error) {
    const key = kinds[type].pings?.tokenField;
    if (key === undefined || findTakenConstraint(error) !== "checks_ping_token") throw error;
    throw invalid(key, "is in use");
  }
}

interface CreateCheck extends Omit<RequestedCheck, "id"> {
  /** Idempotency-Key and body of the request. If omitted, every request creates a new check. */
  readonly once?: { readonly key: string | undefined; readonly body: unknown };
}

export async function createCheck(
  context: ChecksContext,
  caller: Caller,
  { once, ...requested }: CreateCheck,
): Promise<SubscribedCheck> {
  const id = randomUUIDv7();
  const create = async (db: Database) => {
    const request = () => ({ ...requested, id });
    const [creation] = await createRequestedChecks({ ...context, db }, caller, [request]);
    if (creation?.kind === "refused") throw creation.error;
  };
  const { targetId } = await inTransaction(context.db, (db) => {
    const request = { key: once?.key, body: once?.body ?? null };
    const created = { operation: "check.created", targetId: id, at: context.clock.now() };
    return createOnce(db, caller, { ...request, ...created }, () => create(db));
  });
  const made = await findCheck(context.db, caller.accountId, targetId);
  if (made === null) throw conflict("the check created with this Idempotency-Key was deleted");
  return attachChannels(context, caller, made);
}

/** Validates an input and returns the settings that `createCheck` would store. Stores nothing. */
export async function proposeCheck(
  context: Pick<ChecksContext, "db" | "encryption">,
  caller: Caller,
  { type, input }: NewCheck,
): Promise<CheckSettings> {
  // Somebody with more rights may confirm the proposal, so it is judged with the caller's.
  await prepareUnsaved(context, caller, { type, input, changed: null });
  return mergeCheckSettings(kinds[type], null, input);
}

export interface UnsavedCheck {
  readonly type: CheckType;
  readonly input: CheckInput;
  /** The check that the input changes. `null` if the input describes a new check. */
  readonly changed: Check | null;
  /** Body of an unsaved group, used instead of the group stored in the database. */
  readonly group?: object | undefined;
}

/** Parses the body as a change of the check `checkId`, or as a new check if `checkId` is `null`. */
export async function readUnsaved(
  context: Pick<ChecksContext, "db">,
  caller: Caller,
  { body, checkId }: { readonly body: CheckBody; readonly checkId: string | null },
): Promise<UnsavedCheck> {
  if (checkId === null) return { ...parseNewCheck(body), changed: null };
  const changed = await getCheck(context, caller, checkId);
  return { type: changed.kind, input: parseCheckChange(changed.kind, body), changed };
}

/**
 * Returns the settings of an unsaved check, with its group's settings applied, for a test run that
 * stores nothing. If `changed` is given, the input is a change of that check, and omitted or masked
 * fields keep the values of that check.
 */
export async function prepareUnsaved(
  context: Pick<ChecksContext, "db" | "encryption">,
  caller: Caller,
  { type, input, changed, group: unsavedGroup }: UnsavedCheck,
): Promise<Pick<Check, "settings" | "variables"> & { readonly group: CheckGroup | null }> {
  const opened =
    changed && mapSecrets(kinds[type], changed.settings, createOpener(context.encryption));
  const settings = mergeCheckSettings(kinds[type], opened, input);
  const saved = await assertSound(context.db, caller.accountId, { kind: type, settings }, opened);
  const group = unsavedGroup === undefined ? saved : buildGroup(context, unsavedGroup);
  const sealed = mapSecrets(kinds[type], settings, createSeal(context.encryption));
  const stored = changed?.variables ?? [];
  const variables = storeVariables(stored, input.environmentVariables, context.encryption);
  const check = { id: changed?.id ?? randomUUIDv7(), kind: type, settings, variables };
  await createSendingGuard(context, caller)({ check, before: opened, input }, group);
  return { settings: applyGroupSettings(kinds[type], sealed, group), variables, group };
}

async function attachChannels(
  context: ChecksContext,
  caller: Caller,
  check: Check,
): Promise<SubscribedCheck> {
  const [attached] = await withChannels(context, caller.accountId, [check]);
  return attached ?? { ...check, channels: [] };
}

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

function changedFields(before: CheckSettings, after: CheckSettings): string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof CheckSettings)[];
  // Stored settings have another order of keys than an input.
  return names.filter((name) => !isDeepStrictEqual(toJson(before[name]), toJson(after[name])));
}

export async function changeCheck(
  context: ChecksContext,
  caller: Caller,
  change: {
    readonly id: string;
    /** Required kind of the check. If omitted or `null`, any kind is accepted. */
    readonly type?: CheckType | null;
    readonly input: CheckInput;
    /** Accepted ETags (If-Match) of the check. If omitted, the ETag is not checked. */
    readonly ifMatch?: string | undefined;
    /**
     * The request with its masks, if `input` is a whole definition with stored secrets instead of
     * masks. Then omitted fields get their defaults. Otherwise they keep their values.
     */
    readonly typed?: CheckInput;
  },
): Promise<SubscribedCheck> {
  const { id, type = null, input, typed, ifMatch } = change;
  const isWhole = typed !== undefined;
  const at = context.clock.now();
  const changed = await inTransaction(context.db, async (db) => {
    const before = await findCheckForUpdate(db, caller.accountId, { id, type });
    if (before === null) throw notFound();
    if (ifMatch !== undefined) {
      const [current = before] = await withChannels({ ...context, db }, caller.accountId, [before]);
      assertMatch(ifMatch, tagCheck(current));
    }
    const { kind } = before;
    const opened = mapSecrets(kinds[kind], before.settings, createOpener(context.encryption));
    const base = isWhole ? null : opened;
    const settings = mergeCheckSettings(kinds[kind], base, input);
    const group = await assertSound(db, caller.accountId, { kind, settings }, opened);
    const unshown = isWhole ? {} : before.privateSettings;
    const privateSettings = mergePrivateSettings(kinds[kind], unshown, input);
    const { environmentVariables = isWhole ? [] : undefined } = input;
    const variables = storeVariables(before.variables, environmentVariables, context.encryption);
    const check = { id, kind, settings, variables };
    const draft = { check, before: opened, input: typed ?? input };
    await createSendingGuard({ ...context, db }, caller)(draft, group);
    const sealed = mapSecrets(kinds[kind], settings, createSeal(context.encryption));
    const after = { ...before, settings: sealed, variables, privateSettings, updatedAt: at };
    await rejectDuplicateToken(kind, updateCheck(db, caller.accountId, after));
    if (input.alertChannelSubscriptions !== undefined) {
      const subscriptions = input.alertChannelSubscriptions;
      const subscriber = { checkId: id };
      await replaceSubscriptions(db, caller.accountId, { subscriber, subscriptions });
    }
    const fields = changedFields(opened, settings);
    if (environmentVariables !== undefined) fields.push("environmentVariables");
    const changes = { fields };
    await writeAuditEntry(db, caller, { action: "check.updated", targetId: id, changes, at });
    return after;
  });
  return attachChannels(context, caller, changed);
}

/** Changes a check of any kind. The body is validated with the schema of the check's kind. */
export async function changeAnyCheck(
  context: ChecksContext,
  caller: Caller,
  change: {
    readonly id: string;
    readonly body: Parameters<typeof parseCheckChange>[1];
    readonly ifMatch?: string | undefined;
  },
): Promise<SubscribedCheck> {
  const { id, body, ifMatch } = change;
  const { kind } = await getCheck(context, caller, id);
  const input = parseCheckChange(kind, body);
  return changeCheck(context, caller, { id, type: kind, input, ifMatch });
}

export async function getCheck(
  context: Pick<ChecksContext, "db">,
  caller: Caller,
  id: string,
): Promise<Check> {
  const check = await findCheck(context.db, caller.accountId, id);
  if (check === null) throw notFound();
  return check;
}

async function withGroups(
  context: ChecksContext,
  caller: Caller,
  checks: readonly Check[],
): Promise<Check[]> {
  const ids = checks.flatMap(({ settings }) => settings.groupId ?? []);
  const groups = await mapGroups(context.db, caller.accountId, [...new Set(ids)]);
  return checks.map((check) => {
    const group = groups.get(check.settings.groupId ?? 0) ?? null;
    return { ...check, settings: applyGroupSettings(kinds[check.kind], check.settings, group) };
  });
}

export async function readCheck(
  context: ChecksContext,
  caller: Caller,
  query: { readonly id: string; readonly applyGroupSettings: boolean },
): Promise<SubscribedCheck> {
  const check = await getCheck(context, caller, query.id);
  if (!query.applyGroupSettings) return attachChannels(context, caller, check);
  const [applied = check] = await withGroups(context, caller, [check]);
  return attachChannels(context, caller, applied);
}

export async function listOwnChecks(
  context: CheckListContext,
  caller: Caller,
  query: ChecksQuery & { readonly applyGroupSettings: boolean },
): Promise<{ readonly checks: SubscribedCheck[]; readonly total: number }> {
  const { accountId } = caller;
  const silentIds = query.status === undefined ? [] : await context.listSilentIds(accountId);
  const { checks: found, total } = await listChecks(context.db, accountId, { ...query, silentIds });
  const ruled = query.applyGroupSettings ? await withGroups(context, caller, found) : found;
  return { checks: await withChannels(context, accountId, ruled), total };
}

export async function removeCheck(
  context: ChecksContext,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const removed = await deleteCheck(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const at = context.clock.now();
    const changes = { name: removed.name };
    await writeAuditEntry(db, caller, { action: "check.deleted", targetId: id, changes, at });
  });
}
