import { randomUUIDv7 } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { createRawKey } from "./api-keys/api-key.ts";
import { insertApiKey } from "./api-keys/store.ts";
import { writeAuditEntry } from "./audit/store.ts";
import { insertMember } from "./members/store.ts";
import { createLink } from "./sign-in-links/actions.ts";
import { hasAccounts, insertAccount } from "./store.ts";
import { createUser } from "./users/actions.ts";

export interface BootstrapInput {
  readonly accountId: string | undefined;
  readonly email: string;
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
}

export interface Bootstrapped {
  readonly accountId: string;
  readonly email: string;
  /** Null: the owner has none yet, and chooses one after the link has signed them in. */
  readonly password: string | null;
  /** The token of a one-time link; null: the password was set beforehand. */
  readonly linkToken: string | null;
  readonly apiKey: string;
}

/** Held while a server checks whether an account exists. */
const bootstrapLock = 7_333_884;

/**
 * Creates the first account, its owner and a key, once. `announce` runs before the commit: a server
 * killed in between prints again next time, and never keeps a secret that nobody saw.
 */
export async function bootstrap(
  context: { readonly db: Database; readonly clock: Clock },
  inputs: BootstrapInput,
  announce: (created: Bootstrapped) => void,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    await sql`select pg_advisory_xact_lock(${bootstrapLock})`.execute(db);
    if (await hasAccounts(db)) return;
    const created = {
      accountId: inputs.accountId?.toLowerCase() ?? randomUUIDv7(),
      email: inputs.email,
      password: inputs.password ?? null,
      apiKey: inputs.apiKey ?? createRawKey(),
    };
    const at = context.clock.now();
    const userId = await storeFirstAccount(db, created, at);
    const linkToken =
      created.password === null ? await createLink(db, { userId, purpose: "SIGN_IN", at }) : null;
    announce({ ...created, linkToken });
  });
}

async function storeFirstAccount(
  db: Database,
  created: Omit<Bootstrapped, "linkToken">,
  at: Date,
): Promise<string> {
  const { accountId, email, password, apiKey } = created;
  await insertAccount(db, { id: accountId, name: "Vedette", createdAt: at, updatedAt: null });
  // Whoever runs the server vouches for this address.
  const owner = { email, name: null, password, isEmailProven: true };
  const userId = await createUser(db, { ...owner, at });
  await insertMember(db, accountId, { userId, role: "OWNER", at });
  await insertApiKey(db, accountId, {
    id: randomUUIDv7(),
    name: "First key",
    type: "USER",
    userId,
    role: "OWNER",
    lastFour: apiKey.slice(-4),
    createdAt: at,
    expiresAt: null,
    lastUsedAt: null,
    hash: hashSecret(apiKey),
  });
  const actor = {
    type: "SYSTEM" as const,
    credentialId: null,
    label: "first start",
    accountId,
    address: null,
    requestId: null,
  };
  const changes = { email };
  await writeAuditEntry(db, actor, { action: "account.created", targetId: accountId, changes, at });
  return userId;
}
