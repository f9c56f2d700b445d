import { type Caller, type Role, writeAuditEntry } from "../../access/accounts/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import type { SendOutcome } from "../../platform/deliverer.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import { assertMatch, tagVersion } from "../../platform/http/send.ts";
import { notSent } from "../../platform/http-delivery.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { AddressRules } from "../../platform/outbound-guard.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import {
  type AlertChannel,
  type ChannelInput,
  decideLanPermission,
  findConfigFault,
  keepMaskedSecrets,
  type Subscription,
} from "./alert-channel.ts";
import type { AlertMessage } from "./alert-text.ts";
import type { PageTarget, SendTools } from "./channel-kind.ts";
import { openConfig, sealConfig } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { hasRerouteLoop, type QuietHours } from "./quiet-hours.ts";
import {
  deleteChannel,
  findShownChannel,
  holdChannel,
  insertChannel,
  listChannels,
  listSubscriptions,
  lockChannel,
  mapReroutes,
  updateChannel,
} from "./store.ts";

export interface ChannelsContext {
  readonly db: Database;
  readonly clock: Clock;
  /**
   * Returns the number of servers that share the rate limits of an account. If omitted, one server
   * is assumed.
   */
  readonly servers?: (() => number) | undefined;
  readonly encryption: Encryption;
  /** Private addresses to which the channels of every member may send. */
  readonly addressRules: AddressRules;
  /** Dependencies for sending messages. `now` and `accountId` are added for each message. */
  readonly sendTools: Omit<SendTools, "now" | "accountId">;
}

export interface ChannelTestContext extends ChannelsContext {
  /** Rate limit of test messages to channels, per account. */
  readonly testLimit: RateLimit;
}

export interface ChannelWithSubscriptions extends AlertChannel {
  readonly subscriptions: readonly Subscription[];
}

/** Returns a stored channel with decrypted secrets. */
export function unseal(
  context: Pick<ChannelsContext, "encryption">,
  channel: AlertChannel,
): AlertChannel {
  const kind = channelKinds[channel.type as ChannelType];
  return { ...channel, ...openConfig(kind, channel.config, context.encryption) };
}

function sealInput(context: ChannelsContext, input: ChannelInput) {
  const kind = channelKinds[input.type];
  return sealConfig(kind, input.config, context.encryption);
}

export function assertSound(
  { addressRules }: Pick<ChannelsContext, "addressRules">,
  input: Pick<ChannelInput, "type" | "config" | "quietHours">,
  lanAllowedBy: Role | null,
): void {
  const fault = findConfigFault(input, { ...addressRules, allowLan: lanAllowedBy !== null });
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

/** Rejects quiet hours that reroute to a missing channel or that lead back to this channel. */
async function assertReroute(
  db: Database,
  accountId: string,
  channel: { readonly id: number | null; readonly quietHours: QuietHours | null },
): Promise<void> {
  const { id, quietHours } = channel;
  const target = quietHours?.alertChannelId ?? null;
  if (target === null) return;
  const key = "quietHours.alertChannelId";
  if (!(await holdChannel(db, accountId, target))) {
    throw invalid(key, "does not exist in this account");
  }
  if (id === null) return;
  // Two concurrent changes that are each valid could form a loop of reroutes together, so run
  // changes one at a time.
  await lockName(db, `reroutes ${accountId}`);
  const reroutes = (await mapReroutes(db, accountId)).set(id, target);
  if (hasRerouteLoop(id, (one) => reroutes.get(one) ?? null)) {
    throw invalid(key, "must not lead back to this channel");
  }
}

/** Rejects a channel that pages a schedule or member who does not exist in the account. */
export async function assertExists(
  { db, sendTools }: ChannelsContext,
  accountId: string,
  { type, config }: ChannelInput,
): Promise<void> {
  if (type !== "ONCALL") return;
  const { scheduleId, userId } = config as Partial<PageTarget>;
  const target = { scheduleId: scheduleId ?? null, userId: userId ?? null };
  const fault = (await sendTools.onCall?.findFault(db, accountId, target)) ?? null;
  if (fault !== null) throw invalid(`config.${fault.key}`, fault.rule);
}

export async function createChannel(
  context: ChannelsContext,
  caller: Caller,
  input: ChannelInput,
): Promise<AlertChannel> {
  const lanAllowedBy = decideLanPermission(caller, input, null);
  assertSound(context, input, lanAllowedBy);
  await assertExists(context, caller.accountId, input);
  const at = context.clock.now();
  const quietHours = input.quietHours ?? null;
  const draft = { ...input, quietHours, lanAllowedBy, createdAt: at };
  const id = await inTransaction(context.db, async (db) => {
    await assertReroute(db, caller.accountId, { id: null, quietHours: draft.quietHours });
    const sealed = { ...draft, config: sealInput(context, input) };
    const newId = await insertChannel(db, caller.accountId, sealed);
    const changes = { type: input.type, name: describeChannel(input) };
    const note = { action: "alert-channel.created", changes };
    await writeAuditEntry(db, caller, { ...note, targetId: String(newId), at });
    return newId;
  });
  return { ...draft, id, updatedAt: null, version: 1 };
}

export async function getChannel(
  context: ChannelsContext,
  caller: Caller,
  id: number,
): Promise<ChannelWithSubscriptions> {
  const channel = await findShownChannel(context.db, caller.accountId, id);
  if (channel === null) throw notFound();
  const subscriptions = await listSubscriptions(context.db, caller.accountId, { channelIds: [id] });
  return { ...unseal(context, channel), subscriptions };
}

export async function changeChannel(
  context: ChannelsContext,
  caller: Caller,
  change: {
    readonly id: number;
    readonly input: ChannelInput;
    readonly ifMatch?: string | undefined;
  },
): Promise<AlertChannel> {
  const { id } = change;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const stored = await lockChannel(db, caller.accountId, id);
    if (stored === null) throw notFound();
    assertMatch(change.ifMatch, tagVersion(stored.version));
    const before = unseal(context, stored);
    const input = keepMaskedSecrets(before, change.input);
    const lanAllowedBy = decideLanPermission(caller, input, before);
    assertSound(context, input, lanAllowedBy);
    await assertExists(context, caller.accountId, input);
    const version = stored.version + 1;
    const { quietHours = stored.quietHours } = input;
    if (input.quietHours) await assertReroute(db, caller.accountId, { id, quietHours });
    const { createdAt } = before;
    const after = { ...input, quietHours, lanAllowedBy, id, createdAt, updatedAt: at, version };
    const sealed = { ...after, config: sealInput(context, input) };
    await updateChannel(db, caller.accountId, sealed);
    const note = { action: "alert-channel.updated", changes: { type: input.type } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
    return after;
  });
}

export async function listOwnChannels(
  context: ChannelsContext,
  caller: Caller,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly channels: ChannelWithSubscriptions[]; readonly total: number }> {
  const { channels, total } = await listChannels(context.db, caller.accountId, query);
  const channelIds = channels.map((channel) => channel.id);
  const all = await listSubscriptions(context.db, caller.accountId, { channelIds });
  const withTheirs = channels.map((channel) => ({
    ...unseal(context, channel),
    subscriptions: all.filter((one) => one.alertChannelId === channel.id),
  }));
  return { channels: withTheirs, total };
}

/** Returns the display name of a channel's recipient, without secrets. */
export function describeChannel({ type, config }: Pick<AlertChannel, "type" | "config">): string {
  return channelKinds[type as ChannelType].describeRecipient(config);
}

/** Whether a channel may combine several alerts into one message. */
export function acceptsDigests({
  type,
  config,
  digest,
}: Pick<AlertChannel, "type" | "config" | "digest">): boolean {
  return digest && (channelKinds[type as ChannelType].acceptsDigests?.(config) ?? true);
}

export async function removeChannel(
  context: ChannelsContext,
  caller: Caller,
  id: number,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const removed = await deleteChannel(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const at = context.clock.now();
    const note = { action: "alert-channel.deleted", changes: { type: removed.type } };
    await writeAuditEntry(db, caller, { ...note, targetId: String(id), at });
  });
}

/** Sends a message through a channel or contact method whose secrets are already decrypted. */
export function sendThrough(
  context: Pick<ChannelsContext, "clock" | "sendTools">,
  channel: Pick<AlertChannel, "type" | "config" | "problem" | "lanAllowedBy"> & {
    readonly accountId: string;
    /** Id of a saved channel (number) or contact method (text); missing for unsaved settings. */
    readonly id?: number | string | undefined;
  },
  message: AlertMessage,
): Promise<SendOutcome> {
  if (channel.problem) return Promise.resolve(notSent(channel.problem, { isPermanent: true }));
  const kind = channelKinds[channel.type as ChannelType];
  const { accountId, id } = channel;
  const channelId = typeof id === "number" ? id : null;
  const { sendTools } = context;
  const outbound: Outbound = channel.lanAllowedBy
    ? { request: (request) => sendTools.outbound.request({ ...request, allowLan: true }) }
    : sendTools.outbound;
  const tools = { ...sendTools, outbound, accountId, channelId, now: context.clock.now() };
  return kind.send(message, channel.config, tools);
}
