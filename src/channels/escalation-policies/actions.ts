import { randomUUIDv7 } from "node:crypto";
import { type Caller, createOnce, writeAuditEntry } from "../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { assertMatch } from "../../platform/http/send.ts";
import {
  type ChannelsContext,
  listExistingChannelIds,
  obtainTargetChannel,
} from "../alert-channels/index.ts";
import {
  describeUses,
  type EscalationPolicy,
  type EscalationStep,
  type EscalationTarget,
  findPolicyFault,
  keyOfTarget,
  maxPolicies,
  type PolicyInput,
  type PolicyUses,
  type StoredStep,
} from "./escalation-policy.ts";
import { tagPolicy } from "./schema.ts";
import {
  deletePolicy,
  findPolicy,
  insertPolicy,
  listPolicies,
  listPolicyNames,
  lockPolicy,
  updatePolicy,
} from "./store.ts";

export interface PoliciesContext extends ChannelsContext {
  /**
   * Returns where a policy is used. Injected, because the modules that use policies import this
   * module.
   */
  readonly findPolicyUses: (db: Database, accountId: string, id: string) => Promise<PolicyUses>;
}

const nameTaken = (name: string) =>
  conflict(`a policy named "${name}" already exists; choose another name`);

/** Rejects targets that do not exist, except deleted targets that the policy already has. */
async function assertTargets(
  context: ChannelsContext,
  accountId: string,
  {
    steps,
    before,
  }: { readonly steps: PolicyInput["steps"]; readonly before: PolicyInput["steps"] },
): Promise<void> {
  const known = new Set(before.flatMap(({ targets }) => targets.map(keyOfTarget)));
  for (const [index, { targets }] of steps.entries()) {
    for (const [place, target] of targets.entries()) {
      if (known.has(keyOfTarget(target))) continue;
      const fault = await findTargetFault(context, accountId, target);
      if (fault === null) continue;
      throw invalid(`steps.${index}.targets.${place}.${fault.key}`, fault.rule);
    }
  }
}

async function findTargetFault(
  { db, sendTools }: ChannelsContext,
  accountId: string,
  target: EscalationTarget,
): Promise<{ readonly key: string; readonly rule: string } | null> {
  if ("channelId" in target) {
    const existing = await listExistingChannelIds(db, accountId, [target.channelId]);
    if (existing.has(target.channelId)) return null;
    return { key: "channelId", rule: "does not exist in this account; choose another" };
  }
  const paged = { scheduleId: null, userId: null, ...target };
  return (await sendTools.onCall?.findFault(db, accountId, paged)) ?? null;
}

async function storeSteps(
  db: Database,
  accountId: string,
  { steps, at }: { readonly steps: readonly EscalationStep[]; readonly at: Date },
): Promise<StoredStep[]> {
  const stored: StoredStep[] = [];
  for (const { afterMinutes, targets } of steps) {
    const channelIds: number[] = [];
    for (const target of targets) {
      const paged = { scheduleId: null, userId: null, ...target };
      channelIds.push(
        "channelId" in target
          ? target.channelId
          : await obtainTargetChannel(db, accountId, { target: paged, at }),
      );
    }
    stored.push({ afterMinutes, targets, channelIds });
  }
  return stored;
}

/**
 * Returns the policy to store, with the channel of each target. Missing channels are created. A
 * lock prevents concurrent transactions from creating the same channel twice.
 */
async function toStored(
  db: Database,
  accountId: string,
  { input, at }: { readonly input: PolicyInput; readonly at: Date },
) {
  await lockName(db, `escalation policies ${accountId}`);
  const { usesFallback, steps, ...rest } = input;
  const target = { scheduleId: null, userId: null };
  return {
    ...rest,
    steps: await storeSteps(db, accountId, { steps, at }),
    fallbackChannelId: usesFallback
      ? await obtainTargetChannel(db, accountId, { target, at })
      : null,
  };
}

function assertCount(names: readonly unknown[]): void {
  if (names.length < maxPolicies) return;
  throw conflict(`an account has at most ${maxPolicies} escalation policies; delete one first`);
}

export async function createPolicy(
  context: PoliciesContext,
  caller: Caller,
  create: { readonly input: PolicyInput; readonly idempotencyKey: string | undefined },
): Promise<EscalationPolicy> {
  const { input, idempotencyKey: key } = create;
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  assertSound(input);
  await assertTargets(context, accountId, { steps: input.steps, before: [] });
  return inTransaction(context.db, async (db) => {
    const action = "escalation-policy.created";
    const once = { key, operation: action, body: input, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      const stored = await toStored(db, accountId, { input, at });
      assertCount(await listPolicyNames(db, accountId));
      const policy = { ...stored, id, isFromStages: false, createdAt: at, updatedAt: null };
      if (!(await insertPolicy(db, accountId, policy))) throw nameTaken(input.name);
      const changes = { name: input.name };
      await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
    });
    const policy = await findPolicy(db, accountId, targetId);
    if (policy === null) {
      throw conflict(
        "the object created with this Idempotency-Key has been deleted; send another key",
      );
    }
    return policy;
  });
}

export function assertSound(input: Pick<PolicyInput, "steps" | "supportHours">): void {
  const fault = findPolicyFault(input);
  if (fault !== null) throw invalid(fault.key, fault.rule);
}

export async function getPolicy(
  { db }: Pick<ChannelsContext, "db">,
  { accountId }: Pick<Caller, "accountId">,
  id: string,
): Promise<EscalationPolicy> {
  const policy = await findPolicy(db, accountId, id);
  if (policy === null) throw notFound();
  return policy;
}

export function listOwnPolicies(
  { db }: PoliciesContext,
  { accountId }: Caller,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<EscalationPolicy[]> {
  return listPolicies(db, accountId, query);
}

export async function changePolicy(
  context: PoliciesContext,
  caller: Caller,
  change: {
    readonly id: string;
    readonly input: PolicyInput;
    readonly ifMatch: string | undefined;
  },
): Promise<EscalationPolicy> {
  const { id, input, ifMatch } = change;
  const { accountId } = caller;
  const at = context.clock.now();
  const { steps: known } = await getPolicy(context, caller, id);
  assertSound(input);
  await assertTargets(context, accountId, { steps: input.steps, before: known });
  return inTransaction(context.db, async (db) => {
    const before = await lockPolicy(db, accountId, id);
    if (before === null) throw notFound();
    assertMatch(ifMatch, tagPolicy(before));
    const stored = await toStored(db, accountId, { input, at });
    const names = await listPolicyNames(db, accountId);
    if (names.some((one) => one.id !== id && one.name === input.name)) throw nameTaken(input.name);
    const after = { ...before, ...stored, updatedAt: at };
    await updatePolicy(db, accountId, after);
    const changes = { name: after.name, before: before.name };
    const note = { action: "escalation-policy.updated", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
    return after;
  });
}

export async function removePolicy(
  context: PoliciesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { accountId } = caller;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const policy = await lockPolicy(db, accountId, id);
    if (policy === null) throw notFound();
    const uses = describeUses(await context.findPolicyUses(db, accountId, id));
    if (uses !== null) {
      throw conflict(`the policy is used by ${uses}; choose another policy there first`);
    }
    await deletePolicy(db, accountId, id);
    const note = { action: "escalation-policy.deleted", targetId: id, at };
    await writeAuditEntry(db, caller, { ...note, changes: { name: policy.name } });
  });
}

/**
 * An escalation step in the format of the account settings, for clients that do not know policies.
 */
export interface AccountStage {
  readonly afterMinutes: number;
  readonly alertChannelIds: readonly number[];
}

/**
 * Converts steps to account stages, which contain only channels. Schedules, members and steps at 0
 * minutes are left out.
 */
export function listStagesOf({
  steps,
  isFromStages,
}: Pick<EscalationPolicy, "steps" | "isFromStages">): AccountStage[] {
  return steps.flatMap(({ afterMinutes, targets }) => {
    const alertChannelIds = targets.flatMap((one) => ("channelId" in one ? [one.channelId] : []));
    return afterMinutes === 0 || (alertChannelIds.length === 0 && !isFromStages)
      ? []
      : [{ afterMinutes, alertChannelIds }];
  });
}

/**
 * Saves the stages of the account settings as an escalation policy, and returns the id of the
 * policy. If the account already has a policy that was created from stages, that policy is changed.
 */
export async function savePolicyOfStages(
  db: Database,
  accountId: string,
  { stages, at }: { readonly stages: readonly AccountStage[]; readonly at: Date },
): Promise<string> {
  await lockName(db, `escalation policies ${accountId}`);
  const names = await listPolicyNames(db, accountId);
  const own = names.find(({ isFromStages }) => isFromStages);
  // Keep the order of the stages, and also stages without channels: clients must read back exactly
  // what they sent.
  const steps = stages.map(({ afterMinutes, alertChannelIds: channelIds }) => {
    const targets = channelIds.map((channelId) => ({ channelId }));
    return { afterMinutes, targets, channelIds };
  });
  const before = own === undefined ? null : await lockPolicy(db, accountId, own.id);
  if (before !== null) {
    await updatePolicy(db, accountId, { ...before, steps, updatedAt: at });
    return before.id;
  }
  assertCount(names);
  const taken = new Set(names.map(({ name }) => name));
  const base = "Account escalation";
  const numbered = (count: number) => (count === 1 ? base : `${base} ${count}`);
  let count = 1;
  while (taken.has(numbered(count))) count += 1;
  const policy: EscalationPolicy = {
    id: randomUUIDv7(),
    name: numbered(count),
    steps,
    repeat: 0,
    repeatAfterMinutes: 10,
    fallbackChannelId: null,
    supportHours: null,
    isFromStages: true,
    createdAt: at,
    updatedAt: null,
  };
  await insertPolicy(db, accountId, policy);
  return policy.id;
}
