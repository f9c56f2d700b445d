import { inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import {
  addSubscriptions,
  findChannel,
  holdChannel,
  removeSubscriptions,
  type Subscription,
  saveSubscription,
} from "../../alert-channels/index.ts";
import type { ChecksContext } from "../context.ts";
import { holdGroup } from "../groups/store.ts";
import { holdChecks } from "../store.ts";
import {
  holdSubscribersToChange,
  listPossibleSubscribers,
  type PossibleSubscriber,
  type SubscriberQuery,
} from "./subscriber-store.ts";

export interface SubscriptionInput {
  readonly alertChannelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

/** The account's checks and groups, and which of them send through a channel. */
export async function listSubscribers(
  { db }: ChecksContext,
  { accountId }: Caller,
  query: SubscriberQuery & { readonly alertChannelId: number },
): Promise<{ readonly subscribers: PossibleSubscriber[]; readonly total: number }> {
  if ((await findChannel(db, accountId, query.alertChannelId)) === null) throw notFound();
  return listPossibleSubscribers(db, accountId, query);
}

/** Lets a check or a group alert through a channel, or stops it. */
export async function subscribe(
  context: ChecksContext,
  caller: Caller,
  input: SubscriptionInput,
): Promise<Subscription> {
  const { accountId } = caller;
  const { alertChannelId, checkId, groupId } = input;
  if ((checkId === null) === (groupId === null)) {
    throw invalid("checkId", "or groupId must be given, and not both");
  }
  return inTransaction(context.db, async (db) => {
    const hasSubscriber =
      checkId === null
        ? (await holdGroup(db, accountId, groupId ?? 0)) !== null
        : (await holdChecks(db, accountId, [checkId])).size > 0;
    const hasChannel = await holdChannel(db, accountId, alertChannelId);
    if (!hasChannel || !hasSubscriber) throw notFound();
    const id = await saveSubscription(db, accountId, input);
    const at = context.clock.now();
    const changes = { checkId, groupId, activated: input.activated };
    const note = { action: "alert-channel.subscribed", targetId: String(alertChannelId), changes };
    await writeAuditEntry(db, caller, { ...note, at });
    return { ...input, id };
  });
}

/** More are changed in parts, by `search`. */
export const maxSubscribers = 100_000;

export interface ManySubscribersInput {
  readonly alertChannelId: number;
  readonly activated: boolean;
  readonly search?: string | undefined;
  /** Groups send for their checks, so checks alone are enough to be told of everything. */
  readonly hasGroups: boolean;
}

/** Connects all checks to a channel, or disconnects all checks and groups from it. */
export async function subscribeMany(
  context: ChecksContext,
  caller: Caller,
  input: ManySubscribersInput,
): Promise<{ readonly checks: number; readonly groups: number }> {
  const { accountId } = caller;
  const { alertChannelId, activated, search, hasGroups } = input;
  return inTransaction(context.db, async (db) => {
    if (!(await holdChannel(db, accountId, alertChannelId))) throw notFound();
    const wanted = { alertChannelId, activated, search, limit: maxSubscribers };
    const found = await holdSubscribersToChange(db, accountId, wanted);
    const { checkIds } = found;
    const groupIds = hasGroups ? found.groupIds : [];
    if (checkIds.length > maxSubscribers || groupIds.length > maxSubscribers) {
      throw conflict(`more than ${maxSubscribers} would change; change them in parts by search`);
    }
    const change = { alertChannelIds: [alertChannelId], checkIds, groupIds };
    await (activated ? addSubscriptions : removeSubscriptions)(db, accountId, change);
    const changes = {
      ...{ activated, search: search ?? null },
      ...{ checks: checkIds.length, groups: groupIds.length },
    };
    const note = { action: "alert-channel.subscribed", targetId: String(alertChannelId), changes };
    await writeAuditEntry(db, caller, { ...note, at: context.clock.now() });
    return { checks: checkIds.length, groups: groupIds.length };
  });
}
