import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { assertMatch } from "../../../platform/http/send.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { replaceSubscriptions } from "../../alert-channels/index.ts";
import { storeVariables } from "../../variables/index.ts";
import type { ChecksContext } from "../actions.ts";
import type { Check } from "../check.ts";
import { type CheckGroup, type GroupInput, mergeGroupSettings } from "../check-group.ts";
import { createOpener } from "../check-settings.ts";
import { tagGroup } from "../check-tag.ts";
import { mapDefaultSecrets } from "../group-defaults.ts";
import { findPlaceFaults } from "../reference-faults.ts";
import { assertMayRedirectGroup } from "../sending-guard.ts";
import { listChecks } from "../store.ts";
import {
  addAutoSubscribing,
  findUnknownChannels,
  withGroupChannels,
} from "../subscribed-channels.ts";
import { sealSound } from "./schema.ts";
import {
  countMembers,
  deleteGroup,
  findGroup,
  type GroupsQuery,
  insertGroup,
  listGroups,
  lockGroup,
  updateGroup,
} from "./store.ts";

/** Stores the channels of the group. Each must belong to the account. */
async function saveSubscriptions(
  db: Database,
  accountId: string,
  change: { readonly groupId: number; readonly input: GroupInput },
): Promise<void> {
  const { alertChannelSubscriptions: subscriptions } = change.input;
  if (subscriptions === undefined) return;
  const [unknown] = await findUnknownChannels(db, accountId, subscriptions);
  if (unknown !== undefined) {
    const key = `alertChannelSubscriptions.${unknown}.alertChannelId`;
    throw invalid(key, "does not exist in this account");
  }
  const subscriber = { groupId: change.groupId };
  await replaceSubscriptions(db, accountId, { subscriber, subscriptions });
}

async function assertPlaces(
  db: Database,
  accountId: string,
  places: Parameters<typeof findPlaceFaults>[2],
): Promise<void> {
  const [fault] = await findPlaceFaults(db, accountId, places);
  if (fault !== undefined) throw invalid(fault.key, fault.rule);
}

export async function createGroup(
  context: ChecksContext,
  caller: Caller,
  input: GroupInput & { readonly name: string },
): Promise<CheckGroup> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const named = input.alertChannelSubscriptions ?? [];
    const alertChannelSubscriptions = await addAutoSubscribing(db, caller.accountId, named);
    const subscribed = { ...input, alertChannelSubscriptions };
    const settings = sealSound(context, mergeGroupSettings(null, subscribed));
    await assertPlaces(db, caller.accountId, { requested: settings, before: null });
    const variables = storeVariables([], input.environmentVariables, context.encryption);
    const draft = { name: input.name, settings, variables, createdAt: at };
    const group = await insertGroup(db, caller.accountId, draft);
    await saveSubscriptions(db, caller.accountId, { groupId: group.id, input: subscribed });
    const targetId = String(group.id);
    const changes = { name: input.name };
    await writeAuditEntry(db, caller, { action: "check-group.created", targetId, changes, at });
    return attachChannels(db, caller, group);
  });
}

export async function getGroup(
  context: Pick<ChecksContext, "db">,
  caller: Caller,
  id: number,
): Promise<CheckGroup> {
  const group = await findGroup(context.db, caller.accountId, id);
  if (group === null) throw notFound();
  return attachChannels(context.db, caller, group);
}

async function attachChannels(
  db: Database,
  { accountId }: Caller,
  group: CheckGroup,
): Promise<CheckGroup> {
  const [attached = group] = await withGroupChannels(db, accountId, [group]);
  return attached;
}

/** Rejects a change of a group that no longer has one of the tags in `ifMatch`. */
async function assertGroupMatch(
  db: Database,
  caller: Caller,
  { group, ifMatch }: { readonly group: CheckGroup; readonly ifMatch: string | undefined },
): Promise<void> {
  if (ifMatch === undefined) return;
  assertMatch(ifMatch, tagGroup(await attachChannels(db, caller, group)));
}

export async function changeGroup(
  context: ChecksContext,
  caller: Caller,
  change: {
    readonly id: number;
    readonly input: GroupInput;
    /** ETags in which the change is accepted; any if omitted. */
    readonly ifMatch?: string | undefined;
  },
): Promise<CheckGroup> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await lockGroup(db, caller.accountId, change.id);
    if (before === null) throw notFound();
    await assertGroupMatch(db, caller, { group: before, ifMatch: change.ifMatch });
    const opened = mapDefaultSecrets(before.settings, createOpener(context.encryption));
    const settings = sealSound(context, mergeGroupSettings(opened, change.input));
    await assertPlaces(db, caller.accountId, { requested: settings, before: before.settings });
    const { environmentVariables, name = before.name } = change.input;
    const variables = storeVariables(before.variables, environmentVariables, context.encryption);
    const group = { ...before, name, settings, variables, updatedAt: at };
    const redirect = { before, after: group, input: change.input };
    assertMayRedirectGroup(context, caller, redirect);
    await updateGroup(db, caller.accountId, group);
    await saveSubscriptions(db, caller.accountId, { groupId: group.id, input: change.input });
    const targetId = String(group.id);
    const changes = { fields: Object.keys(change.input) };
    await writeAuditEntry(db, caller, { action: "check-group.updated", targetId, changes, at });
    return attachChannels(db, caller, group);
  });
}

export async function listOwnGroups(
  { db }: ChecksContext,
  { accountId }: Caller,
  query: GroupsQuery,
): Promise<{ readonly groups: CheckGroup[]; readonly total: number }> {
  const { groups, total } = await listGroups(db, accountId, query);
  return { groups: await withGroupChannels(db, accountId, groups), total };
}

export async function listGroupChecks(
  context: ChecksContext,
  caller: Caller,
  query: GroupsQuery & { readonly id: number },
): Promise<{ readonly checks: Check[]; readonly total: number }> {
  const group = await getGroup(context, caller, query.id);
  return listChecks(context.db, caller.accountId, { ...query, groupId: group.id });
}

export async function removeGroup(
  context: ChecksContext,
  caller: Caller,
  { id, ifMatch }: { readonly id: number; readonly ifMatch?: string | undefined },
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const group = await lockGroup(db, caller.accountId, id);
    if (group === null) throw notFound();
    await assertGroupMatch(db, caller, { group, ifMatch });
    const members = await countMembers(db, caller.accountId, id);
    if (members > 0) throw conflict(`the group still has ${members} checks`);
    await deleteGroup(db, caller.accountId, id);
    const at = context.clock.now();
    const changes = { name: group.name };
    const targetId = String(id);
    await writeAuditEntry(db, caller, { action: "check-group.deleted", targetId, changes, at });
  });
}
