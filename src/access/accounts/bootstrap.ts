import { randomUUIDv7 } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, runSql } from "../../platform/database.ts";
import { hashSecret } from "../../platform/secrets.ts";
import { createRawKey, insertApiKey } from "./api-keys/api-key-store.ts";
import { writeAuditEntry } from "./audit/store.ts";
import { insertMember } from "./members/member-store.ts";
import { createLink } from "./sign-in-links/sign-in-links.ts";
import { hasAccounts, insertAccount } from "./store.ts";
import { createUser } from "./users/actions.ts";

interface BootstrapInput {
  readonly accountId: string | undefined;
  readonly email: string;
  readonly password: string | undefined;
  readonly apiKey: string | undefined;
}

export interface Bootstrapped {
  readonly accountId: string;
  readonly email: string;
  /** Password of the owner; `null` if the owner chooses one after signing in with the link. */
  readonly password: string | null;
  /** Token of the one-time sign-in link; `null` if the operator set a password. */
  readonly linkToken: string | null;
  readonly apiKey: string;
}

/** Key of the advisory lock that a server holds while it creates the first account. */
const bootstrapLock = 7_333_884;

/**
 * Creates the first account, its owner and an API key, unless an account exists. `print` is called
 * before the commit, so that no secret is stored without having been printed. If the server is
 * killed before the commit, its next start creates and prints new secrets.
 */
export async function bootstrap(
  context: { readonly db: Database; readonly clock: Clock },
  inputs: BootstrapInput,
  print: (created: Bootstrapped) => void,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    await runSql(db, "select pg_advisory_xact_lock($1)", [bootstrapLock]);
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
    print({ ...created, linkToken });
  });
}

async function storeFirstAccount(
  db: Database,
  created: Omit<Bootstrapped, "linkToken">,
  at: Date,
): Promise<string> {
  const { accountId, email, password, apiKey } = created;
  await insertAccount(db, { id: accountId, name: "Vedette", createdAt: at, updatedAt: null });
  // The operator configured this email address, so the address counts as verified.
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
