import { randomUUIDv7 } from "node:crypto";
import { inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, forbidden, invalid, notFound } from "../../../platform/errors.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { isAtLeast } from "../role.ts";
import { type ApiKey, type ApiKeyInput, createRawKey, decideApiKey, mayHandle } from "./api-key.ts";
import {
  type ApiKeyQuery,
  countApiKeys,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  listApiKeys,
  updateApiKeyName,
} from "./store.ts";

const maxKeysPerAccount = 1_000;

/** Creates an API key. The raw key appears only in this response; the database stores its hash. */
export async function createApiKey(
  context: AccountsContext,
  caller: Caller,
  input: ApiKeyInput,
): Promise<ApiKey & { readonly rawKey: string }> {
  const at = context.clock.now();
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= at) throw invalid("expiresAt", "must be in the future");
  const decision = decideApiKey(caller, input);
  if (decision.kind === "no-person-to-own-it") {
    throw invalid("type", "must be SERVICE when a service key creates the key");
  }
  if (decision.kind !== "granted") throw forbidden();
  const rawKey = createRawKey();
  const key: ApiKey = {
    id: randomUUIDv7(),
    name: input.name,
    type: decision.type,
    userId: decision.type === "USER" ? caller.userId : null,
    role: decision.role,
    lastFour: rawKey.slice(-4),
    createdAt: at,
    expiresAt,
    lastUsedAt: null,
    lastUsedAddress: null,
  };
  await inTransaction(context.db, async (db) => {
    await lockName(db, `API keys ${caller.accountId}`);
    if ((await countApiKeys(db, caller.accountId)) >= maxKeysPerAccount) {
      throw conflict(`an account has at most ${maxKeysPerAccount} API keys; revoke one first`);
    }
    await insertApiKey(db, caller.accountId, { ...key, hash: hashSecret(rawKey) });
    const changes = { name: key.name, type: key.type, role: key.role, expiresAt };
    await writeAuditEntry(db, caller, { action: "api-key.created", targetId: key.id, changes, at });
  });
  return { ...key, rawKey };
}

export function listOwnApiKeys(
  context: AccountsContext,
  caller: Caller,
  query: ApiKeyQuery,
): Promise<ApiKey[]> {
  const seesAll = isAtLeast(caller.role, "ADMIN");
  const scope = seesAll ? query : { ...query, userId: caller.userId };
  return listApiKeys(context.db, caller.accountId, scope);
}

export async function getApiKey(
  context: AccountsContext,
  caller: Caller,
  id: string,
): Promise<ApiKey> {
  const key = await findApiKey(context.db, caller.accountId, id);
  if (key === null || !mayHandle(caller, key)) throw notFound();
  return key;
}

export async function renameApiKey(
  context: AccountsContext,
  caller: Caller,
  change: { readonly id: string; readonly name: string },
): Promise<ApiKey> {
  const { id, name } = change;
  const key = await getApiKey(context, caller, id);
  await inTransaction(context.db, async (db) => {
    if (!(await updateApiKeyName(db, caller.accountId, change))) throw notFound();
    const at = context.clock.now();
    const changes = { name: { from: key.name, to: name }, lastFour: key.lastFour };
    await writeAuditEntry(db, caller, { action: "api-key.renamed", targetId: id, changes, at });
  });
  // The audit log shows the key's name, so cached credentials must be reloaded.
  context.credentials.forgetAll();
  return { ...key, name };
}

export async function revokeApiKey(
  context: AccountsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const key = await getApiKey(context, caller, id);
  await inTransaction(context.db, async (db) => {
    if (!(await deleteApiKey(db, caller.accountId, id))) throw notFound();
    const at = context.clock.now();
    const changes = { name: key.name, lastFour: key.lastFour };
    await writeAuditEntry(db, caller, { action: "api-key.revoked", targetId: id, changes, at });
  });
  context.credentials.forgetAll();
}
