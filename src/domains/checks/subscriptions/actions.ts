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
import type { ChecksContext } from "../actions.ts";
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

/** Lists the account's checks and groups with their subscription to a channel. */
export async function listSubscribers(
  { db }: ChecksContext,
  { accountId }: Caller,
  query: SubscriberQuery & { readonly alertChannelId: number },
): Promise<{ readonly subscribers: PossibleSubscriber[]; readonly total: number }> {
  if ((await findChannel(db, accountId, query.alertChannelId)) === null) throw notFound();
  return listPossibleSubscribers(db, accountId, query);
}

/** Subscribes a check or a group to a channel, or deactivates the subscription. */
export async function subscribe(
  context: ChecksContext,
  caller: Caller,
  input: SubscriptionInput,
): Promise<Subscription> {
  const { accountId } = caller;
  const { alertChannelId, checkId, groupId } = input;
  if ((checkId === null) === (groupId === null)) {
    throw invalid("checkId", "or groupId is required, but not both");
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

/** Maximum number of changes at once; narrow them with `search`. */
export const maxSubscribers = 100_000;

export interface ManySubscribersInput {
  readonly alertChannelId: number;
  readonly activated: boolean;
  readonly search?: string | undefined;
  /** If false, only checks are connected: groups would add no alerts that checks do not send. */
  readonly hasGroups: boolean;
}

/** Subscribes all checks to a channel, or unsubscribes all checks and groups from it. */
export async function subscribeMany(
  context: ChecksContext,
  caller: Caller,
  input: ManySubscribersInput,
): Promise<{ readonly checks: number; readonly groups: number }> {
  const { accountId } = caller;
  const { alertChannelId, activated, search, hasGroups } = input;
  return inTransaction(context.db, async (db) => {
    if (!(await holdChannel(db, accountId, alertChannelId))) throw notFound();
    const filter = { alertChannelId, activated, search, limit: maxSubscribers };
    const found = await holdSubscribersToChange(db, accountId, filter);
    const { checkIds } = found;
    const groupIds = hasGroups ? found.groupIds : [];
    if (checkIds.length > maxSubscribers || groupIds.length > maxSubscribers) {
      throw conflict(
        `more than ${maxSubscribers} subscriptions would change; narrow them with search`,
      );
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
