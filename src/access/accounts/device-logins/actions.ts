import { randomUUIDv7 } from "node:crypto";
import { inTransaction, lockName } from "../../../platform/database.ts";
import { invalid, KnownError, notFound } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { createSecret, hashSecret } from "../../../platform/secrets.ts";
import type { ApiKey } from "../api-keys/api-key-store.ts";
import { createApiKey } from "../api-keys/api-keys.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { findUser } from "../users/store.ts";
import {
  createUserCode,
  type DeviceLogin,
  decidePoll,
  firstIntervalSeconds,
  lifetimeSeconds,
  type PollDecision,
  parseUserCode,
} from "./device-login.ts";
import {
  approveLogin,
  countDeviceLogins,
  denyLogin,
  insertDeviceLogin,
  lockLoginOfDevice,
  lockPendingLogin,
  recordPoll,
  takeSealedKey,
} from "./store.ts";

/** Maximum number of stored device logins in the whole installation. */
const maxLogins = 1_000;
const maxClientLength = 200;

/** Rate limits for devices that start logins, and for users who enter wrong codes. */
export class DeviceLoginLimits {
  readonly starts: RateLimit;
  readonly wrongCodes: RateLimit;

  constructor({ clock }: Pick<AccountsContext, "clock">) {
    this.starts = new RateLimit({ limit: 10, windowMs: 60_000, clock });
    this.wrongCodes = new RateLimit({ limit: 10, windowMs: 60_000, clock });
  }
}

function tooMany(retryAfterSeconds: number): KnownError {
  return new KnownError("tooManyRequests", { retryAfterSeconds });
}

/** Starts the login of a device. Only this response contains the device code. */
export async function startDeviceLogin(
  context: AccountsContext,
  limits: DeviceLoginLimits,
  device: { readonly client: string; readonly address: string },
): Promise<DeviceLogin & { readonly deviceCode: string }> {
  const { allowed, resetSeconds } = limits.starts.take(addressKey(device.address));
  if (!allowed) throw tooMany(resetSeconds);
  const at = context.clock.now();
  const deviceCode = createSecret();
  return inTransaction(context.db, async (db) => {
    await lockName(db, "device logins");
    if ((await countDeviceLogins(db)) >= maxLogins) throw tooMany(60);
    const login: DeviceLogin = {
      id: randomUUIDv7(),
      userCode: createUserCode(),
      client: device.client.slice(0, maxClientLength),
      address: device.address,
      createdAt: at,
      expiresAt: new Date(at.getTime() + lifetimeSeconds * 1_000),
      polledAt: null,
      intervalSeconds: firstIntervalSeconds,
      status: "PENDING",
      userId: null,
    };
    const isNew = await insertDeviceLogin(db, { ...login, deviceHash: hashSecret(deviceCode) });
    if (!isNew) throw tooMany(1);
    return { ...login, deviceCode };
  });
}

export type PolledLogin =
  | Exclude<PollDecision, { kind: "granted" }>
  | {
      readonly kind: "granted";
      readonly key: string;
      readonly user: { readonly id: string; readonly name: string | null; readonly email: string };
      readonly expiresAt: Date;
    };

/**
 * Returns the state of a login to the device that polls for it. After the user has approved the
 * login, the API key is returned once.
 */
export async function pollDeviceLogin(
  context: AccountsContext,
  deviceCode: string,
): Promise<PolledLogin> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db): Promise<PolledLogin> => {
    const login = await lockLoginOfDevice(db, hashSecret(deviceCode));
    const decision = decidePoll(login, at.getTime());
    const revoked = { kind: "rejected", error: "invalid_grant" } as const;
    if (login === null || decision.kind === "rejected") {
      return decision.kind === "rejected" ? decision : revoked;
    }
    const { id, userId, expiresAt } = login;
    const intervalSeconds =
      "intervalSeconds" in decision ? decision.intervalSeconds : login.intervalSeconds;
    await recordPoll(db, { id, at, intervalSeconds });
    if (decision.kind === "pending") return decision;
    const sealed = await takeSealedKey(db, id);
    const key = sealed === null ? null : context.encryption.tryDecrypt(sealed);
    const user = userId === null ? null : await findUser(db, userId);
    return key === null || user === null ? revoked : { kind: "granted", key, user, expiresAt };
  });
}

/**
 * Finds the pending login for a user code. Rejects callers who have entered too many wrong codes.
 */
async function findPending(
  context: AccountsContext,
  limits: DeviceLoginLimits,
  caller: Caller,
  text: string,
): Promise<DeviceLogin> {
  const limitKey = caller.userId ?? caller.credentialId;
  const { allowed, resetSeconds } = limits.wrongCodes.peek(limitKey);
  if (!allowed) throw tooMany(resetSeconds);
  const userCode = parseUserCode(text);
  const now = context.clock.now();
  const login = userCode === null ? null : await lockPendingLogin(context.db, { userCode, now });
  if (login !== null) return login;
  limits.wrongCodes.take(limitKey);
  throw notFound();
}

/** Returns the pending login for a user code, so that the user can compare it with the device. */
export function getDeviceLogin(
  context: AccountsContext,
  limits: DeviceLoginLimits,
  caller: Caller,
  userCode: string,
): Promise<DeviceLogin> {
  return findPending(context, limits, caller, userCode);
}

/**
 * Approves or denies a login. On approval, creates an API key for the device, which is valid until
 * the login expires.
 */
export async function answerDeviceLogin(
  context: AccountsContext,
  limits: DeviceLoginLimits,
  caller: Caller,
  answer: { readonly userCode: string; readonly isApproved: boolean },
): Promise<void> {
  const { userId } = caller;
  if (userId === null) throw invalid("userCode", "must be confirmed by a user, not a service key");
  await inTransaction(context.db, async (db) => {
    const inside = { ...context, db };
    const login = await findPending(inside, limits, caller, answer.userCode);
    const { id, client, address, expiresAt } = login;
    if (!answer.isApproved) {
      await denyLogin(db, id, userId);
      const changes = { client, address };
      const note = { action: "api-key.login-denied", targetId: id, at: context.clock.now() };
      await writeAuditEntry(db, caller, { ...note, changes });
      return;
    }
    const name = `Sign-in of ${client || "a device"} (${address})`.slice(0, 200);
    const { rawKey, id: keyId } = await createApiKey(inside, caller, {
      ...{ name, type: "USER", expiresAt },
    });
    const sealedKey = context.encryption.encrypt(rawKey);
    await approveLogin(db, { id, userId, keyId, sealedKey });
  });
}

/** Creates the permanent API key for a device that has signed in with its temporary key. */
export function createDeviceKey(
  context: AccountsContext,
  caller: Caller,
  name: string,
): Promise<ApiKey & { readonly rawKey: string }> {
  return createApiKey(context, caller, { name, type: "USER" });
}
