import { randomInt, randomUUID, randomUUIDv7 } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type Caller,
  isPlaceholderEmail,
  type Role,
  writeAuditEntry,
} from "../../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import type { SendOutcome } from "../../../platform/deliverer.ts";
import { conflict, invalid, KnownError, notFound } from "../../../platform/errors.ts";
import { assertMatch, tagContent } from "../../../platform/http/send.ts";
import type { RateLimit } from "../../../platform/rate-limit.ts";
import { assertSound, type ChannelsContext, sendThrough } from "../actions.ts";
import { decideLanPermission, keepMaskedSecrets } from "../alert-channel.ts";
import { createTestMessage } from "../channel-test.ts";
import { type ChannelConfig, openConfig, sealConfig } from "../config-secrets.ts";
import { channelKinds } from "../kinds/index.ts";
import {
  type ContactMethod,
  type ContactOwner,
  type ContactType,
  codeLifetimeMs,
  createDefaultRules,
  decideCode,
  delaySteps,
  findRulesFault,
  isBuiltIn,
  keepKnownSteps,
  maxMethods,
  type NotificationRules,
  planSteps,
  type StoredMethod,
  type Urgency,
} from "./contact-method.ts";
import {
  countWrongCode,
  deleteMethod,
  insertMethod,
  listMembers,
  listMethods,
  lockMethod,
  type ReachableMember,
  saveCode,
  saveRules,
  updateMethod,
} from "./contact-store.ts";

export interface ContactsContext extends ChannelsContext {
  /** Rate limit of test messages to contact methods, per member. */
  readonly contactLimit: RateLimit;
}

export const maxTestsPerHour = 30;

/** Returns the calling member. Throws for a service key, which has no contact methods. */
function findOwner({ accountId, userId }: Caller): ContactOwner {
  if (userId === null) throw notFound();
  return { accountId, userId };
}

interface SendAbilities extends Pick<ChannelsContext, "encryption"> {
  readonly sendTools: Pick<ChannelsContext["sendTools"], "mailer" | "smsGateway">;
}

function findLack({ mailer, smsGateway }: SendAbilities["sendTools"], type: string) {
  if (type === "EMAIL" && mailer === null) return "No SMTP server is configured. Set SMTP_URL.";
  if (type === "SMS" && smsGateway === null) {
    return "No SMS gateway is configured. Set SMS_GATEWAY_URL.";
  }
  return null;
}

function openMethod({ encryption, sendTools }: SendAbilities, method: StoredMethod): ContactMethod {
  const { verifiedAt, ...kept } = method;
  const { type } = kept;
  const { config, problem } = openConfig(channelKinds[type], method.config, encryption);
  const isVerified = verifiedAt !== null;
  const lack = problem ?? findLack(sendTools, type);
  return { ...kept, config, isVerified, problem: lack };
}

function listBuiltIn({ sendTools }: SendAbilities, member: ReachableMember): ContactMethod[] {
  const { email, deviceCount } = member;
  const dates = { createdAt: null, updatedAt: null };
  const fixed = { lanAllowedBy: null, isVerified: true, ...dates, version: 0 };
  const placeholder = isPlaceholderEmail(email)
    ? "Your email address is a placeholder. Change it under Settings, Profile."
    : null;
  const noDevice = "No device receives push messages. Turn them on under Settings, Devices.";
  return [
    {
      ...fixed,
      id: "push",
      type: "WEBPUSH",
      config: { name: "Push", email },
      problem: deviceCount === 0 ? noDevice : null,
    },
    {
      ...fixed,
      id: "email",
      type: "EMAIL",
      config: { address: email },
      problem: placeholder ?? findLack(sendTools, "EMAIL"),
    },
  ];
}

/** Contact methods and notification rules of one member. */
export interface Reach {
  readonly userId: string;
  readonly name: string;
  readonly methods: readonly ContactMethod[];
  readonly rules: NotificationRules;
  /** Returns the notification steps that can reach the member, earliest first. */
  readonly plan: (page: { readonly urgency: Urgency; readonly atMs: number }) => PlannedStep[];
}

export interface PlannedStep {
  readonly method: ContactMethod;
  readonly afterMinutes: number;
}

/** Loads the contact methods and rules of members. Former members are missing from the result. */
export async function loadReaches(
  context: SendAbilities & { readonly db: Database },
  accountId: string,
  userIds: readonly string[],
): Promise<Map<string, Reach>> {
  if (userIds.length === 0) return new Map();
  const members = await listMembers(context.db, accountId, userIds);
  const stored = await listMethods(context.db, accountId, userIds);
  const byUser = Map.groupBy(stored, ({ userId }) => userId);
  return new Map(
    members.map((member) => {
      const { userId, name } = member;
      const own = (byUser.get(userId) ?? []).map((method) => openMethod(context, method));
      const methods = [...listBuiltIn(context, member), ...own];
      const known = new Set(methods.map(({ id }) => id));
      const rules = keepKnownSteps(member.rules ?? createDefaultRules(methods), known);
      const plan: Reach["plan"] = (page) =>
        delaySteps(
          planSteps(page.urgency === "HIGH" ? rules.high : rules.low, methods),
          rules,
          page,
        );
      return [userId, { userId, name, methods, rules, plan }];
    }),
  );
}

async function getReach(
  context: SendAbilities & { readonly db: Database },
  { accountId, userId }: ContactOwner,
): Promise<Reach> {
  const reach = (await loadReaches(context, accountId, [userId])).get(userId);
  if (reach === undefined) throw notFound();
  return reach;
}

export async function listOwnMethods(
  context: ChannelsContext,
  caller: Caller,
): Promise<readonly ContactMethod[]> {
  return (await getReach(context, findOwner(caller))).methods;
}

export async function getMethod(
  context: ChannelsContext,
  caller: Caller,
  id: string,
): Promise<ContactMethod> {
  const method = (await listOwnMethods(context, caller)).find((one) => one.id === id);
  if (method === undefined) throw notFound();
  return method;
}

/**
 * Computes the ETag from the content. The version is not sufficient, because `problem` and the
 * built-in email address change without a new version.
 */
export function tagMethod({ id, type, config, ...method }: ContactMethod): string {
  const { isVerified, problem, version } = method;
  return tagContent([id, type, id === "email" ? config : null, isVerified, problem, version]);
}

function assertUsable(
  context: ChannelsContext,
  input: { readonly type: ContactType; readonly config: ChannelConfig },
  lanAllowedBy: Role | null,
): void {
  assertSound(context, input, lanAllowedBy);
  const lack = input.type === "SMS" ? findLack(context.sendTools, "SMS") : null;
  if (lack !== null) throw invalid("type", `cannot be used: ${lack}`);
}

const lockContacts = (db: Database, { accountId, userId }: ContactOwner) =>
  lockName(db, `contact methods ${accountId} ${userId}`);

export async function createMethod(
  context: ChannelsContext,
  caller: Caller,
  input: { readonly type: ContactType; readonly config: ChannelConfig },
): Promise<ContactMethod> {
  const owner = findOwner(caller);
  const lanAllowedBy = decideLanPermission(caller, input, null);
  assertUsable(context, input, lanAllowedBy);
  const { type } = input;
  const id = randomUUIDv7();
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    await lockContacts(db, owner);
    const { length } = await listMethods(db, owner.accountId, [owner.userId]);
    if (length >= maxMethods) {
      throw conflict(`limit of ${maxMethods} contact methods reached; remove one first`);
    }
    const config = sealConfig(channelKinds[type], input.config, context.encryption);
    await insertMethod(db, owner, { id, type, config, lanAllowedBy, createdAt: at });
    const changes = { type, name: channelKinds[type].describeRecipient(input.config) };
    const note = { action: "contact-method.created", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
  return getMethod(context, caller, id);
}

const builtIn = () => conflict("a built-in contact method cannot be changed or deleted");

/** Changes a contact method. A different configuration must be verified again. */
export async function changeMethod(
  context: ChannelsContext,
  caller: Caller,
  change: {
    readonly id: string;
    readonly config: ChannelConfig;
    readonly ifMatch: string | undefined;
  },
): Promise<ContactMethod> {
  const owner = findOwner(caller);
  const { id, ifMatch } = change;
  if (isBuiltIn(id)) throw builtIn();
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const stored = await lockMethod(db, owner, id);
    if (stored === null) throw notFound();
    const before = openMethod(context, stored);
    assertMatch(ifMatch, tagMethod(before));
    const { type } = stored;
    const { config } = keepMaskedSecrets(before, { type, config: change.config });
    const lanAllowedBy = decideLanPermission(caller, { type, config }, { ...before, type });
    assertUsable(context, { type, config }, lanAllowedBy);
    const isSame = isDeepStrictEqual(config, before.config);
    const sealed = sealConfig(channelKinds[type], config, context.encryption);
    const verifiedAt = isSame ? stored.verifiedAt : null;
    const saved = { id, config: sealed, lanAllowedBy, verifiedAt, updatedAt: at };
    await updateMethod(db, owner.accountId, saved);
    const note = { action: "contact-method.updated", changes: { type } };
    await writeAuditEntry(db, caller, { ...note, targetId: id, at });
  });
  return getMethod(context, caller, id);
}

export async function removeMethod(
  context: ChannelsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const owner = findOwner(caller);
  if (isBuiltIn(id)) throw builtIn();
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    await lockContacts(db, owner);
    const removed = await deleteMethod(db, owner, id);
    if (removed === null) throw notFound();
    const note = { action: "contact-method.deleted", changes: { type: removed.type } };
    await writeAuditEntry(db, caller, { ...note, targetId: id, at });
  });
}

export interface MethodTest {
  readonly outcome: SendOutcome;
  /** Whether the test message contained a verification code. */
  readonly hasCode: boolean;
  readonly durationMs: number;
}

const createCode = () => String(randomInt(1_000_000)).padStart(6, "0");

/**
 * Sends a test message, with a verification code if the contact method is not verified. The
 * response of the recipient is not returned, because some recipients echo the message and would
 * reveal the code.
 */
export async function testMethod(
  context: ContactsContext,
  caller: Caller,
  id: string,
): Promise<MethodTest> {
  const { accountId, userId } = findOwner(caller);
  const method = await getMethod(context, caller, id);
  const { allowed, resetSeconds } = context.contactLimit.take(`${accountId} ${userId}`);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const { db, clock, encryption } = context;
  const code = method.isVerified ? null : createCode();
  const now = clock.now();
  if (code !== null) {
    const expiresAt = new Date(now.getTime() + codeLifetimeMs);
    await saveCode(db, accountId, { id, sealed: encryption.encrypt(code), expiresAt });
  }
  const reason =
    code === null
      ? "This is a test of your contact method. No check is failing."
      : `Your code is ${code}. Enter it in Vedette under Settings, Contact methods, within 30 minutes.`;
  const title = code === null ? "Vedette: test message" : "Vedette: confirm your contact method";
  const message = { ...createTestMessage(now), idempotencyKey: randomUUID(), title, reason };
  const startMs = performance.now();
  const outcome = await sendThrough(context, { ...method, accountId }, message);
  const durationMs = Math.round(performance.now() - startMs);
  if (code !== null && outcome.kind === "failed") {
    await saveCode(db, accountId, { id, sealed: null, expiresAt: null });
  }
  const changes = { type: method.type, outcome: outcome.kind, statusCode: outcome.statusCode };
  const note = { action: "contact-method.tested", targetId: id, changes };
  await writeAuditEntry(db, caller, { ...note, at: clock.now() });
  return { outcome, hasCode: code !== null && outcome.kind === "sent", durationMs };
}

/**
 * Verifies a contact method with the code of the newest test message. The error for a wrong code is
 * thrown after the commit: a rollback would undo the count of wrong codes.
 */
export async function verifyMethod(
  context: ChannelsContext,
  caller: Caller,
  given: { readonly id: string; readonly code: string },
): Promise<ContactMethod> {
  const owner = findOwner(caller);
  const { accountId } = owner;
  const { id } = given;
  if (isBuiltIn(id)) return getMethod(context, caller, id);
  const at = context.clock.now();
  const decision = await inTransaction(context.db, async (db) => {
    const method = await lockMethod(db, owner, id);
    if (method === null) throw notFound();
    if (method.verifiedAt !== null) return "right";
    const { sealedCode, codeExpiresAt: expiresAt, wrongCodes } = method;
    const code = sealedCode === null ? null : context.encryption.tryDecrypt(sealedCode);
    const decided = decideCode({ code, expiresAt, wrongCodes }, given.code, at);
    if (decided === "wrong") await countWrongCode(db, accountId, id);
    if (decided !== "right") return decided;
    const { type } = method;
    await updateMethod(db, accountId, { ...method, verifiedAt: at, updatedAt: at });
    const note = { action: "contact-method.verified", targetId: id, changes: { type }, at };
    await writeAuditEntry(db, caller, note);
    return decided;
  });
  if (decision === "wrong")
    throw invalid(
      "code",
      "is not the code of the newest test message; enter that one, or send another test",
    );
  if (decision === "none-pending") throw conflict("no code is pending; send a test first");
  if (decision === "too-many") throw conflict("too many wrong codes; send another test");
  return getMethod(context, caller, id);
}

export interface TaggedRules {
  readonly rules: NotificationRules;
  readonly tag: string;
}

const tagRules = (rules: NotificationRules): TaggedRules => ({ rules, tag: tagContent([rules]) });

export async function readRules(context: ChannelsContext, caller: Caller): Promise<TaggedRules> {
  return tagRules((await getReach(context, findOwner(caller))).rules);
}

export async function changeRules(
  context: ChannelsContext,
  caller: Caller,
  change: { readonly rules: NotificationRules; readonly ifMatch: string | undefined },
): Promise<TaggedRules> {
  const owner = findOwner(caller);
  const { ifMatch } = change;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    await lockContacts(db, owner);
    const before = await getReach({ ...context, db }, owner);
    assertMatch(ifMatch, tagRules(before.rules).tag);
    const { quietHours = before.rules.quietHours ?? null } = change.rules;
    const rules: NotificationRules = { ...change.rules, ...(quietHours && { quietHours }) };
    const fault = findRulesFault(rules, new Map(before.methods.map((one) => [one.id, one])));
    if (fault !== null) throw invalid(fault.key, fault.rule);
    await saveRules(db, owner, { rules, at });
    const changes = { ...rules };
    const note = { action: "notification-rules.updated", targetId: owner.userId, changes, at };
    await writeAuditEntry(db, caller, note);
    return tagRules(rules);
  });
}
