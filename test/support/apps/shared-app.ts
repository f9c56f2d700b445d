import { randomUUIDv7 } from "node:crypto";
import { hashSecret } from "../../../src/platform/secrets.ts";
import { endWithProcess } from "../runner/process-end.ts";
import { TestClock } from "../time/clock.ts";
import { startTestApp, type TestApp } from "./app.ts";

/** Clock that cannot be moved, because other test files use the same app. */
class SharedClock extends TestClock {
  override advance(): never {
    throw new Error("The clock of a shared app cannot be moved. Use startTestApp.");
  }
}

const apps = new Map<string, Promise<TestApp>>();
let accounts = 0;

function findApp(environment: Readonly<Record<string, string>>): Promise<TestApp> {
  const key = JSON.stringify(environment);
  const known = apps.get(key);
  if (known !== undefined) return known;
  const started = startTestApp(environment, { clock: new SharedClock() });
  apps.set(key, started);
  endWithProcess(async () => (await started).stop());
  return started;
}

/** Adds an account with an owner and a key, like the first start of a server. */
async function addOwner({ query, owner: first }: TestApp): Promise<TestApp["owner"]> {
  accounts += 1;
  const accountId = randomUUIDv7();
  const userId = randomUUIDv7();
  const email = first.email.replace("@", `-${accounts}@`);
  const apiKey = `${accounts}-${first.apiKey}`;
  await query(
    `with account as (
        insert into accounts (id, name, created_at)
          select $1, name, created_at from accounts where id = $2),
      owner as (
        insert into users (id, email, password_hash, email_proven_at, created_at)
          select $3, $4, password_hash, email_proven_at, created_at from users where email = $5),
      member as (
        insert into members (account_id, user_id, role, created_at, updated_at)
          select $1, $3, role, created_at, updated_at from members where account_id = $2)
      insert into api_keys (id, account_id, user_id, name, key_hash, last_four, role, created_at)
        select $6, $1, $3, name, $7, $8, role, created_at from api_keys where account_id = $2`,
    [
      accountId,
      first.accountId,
      userId,
      email,
      first.email,
      randomUUIDv7(),
      hashSecret(apiKey),
      apiKey.slice(-4),
    ],
  );
  return { ...first, accountId, email, apiKey };
}

const deadlock = "40P01";

/**
 * Deletes all accounts of the owner, so that names used in them become free. The deletion is
 * retried, because a background task that locks the rows in another order may cause a deadlock.
 */
async function removeAccounts(app: TestApp, email: string, retries = 5): Promise<void> {
  try {
    await app.query(
      `with own as materialized (
          select account_id from members join users on users.id = user_id where email = $1),
        people as materialized (
          select user_id from members where account_id in (select account_id from own)),
        removed as (delete from accounts where id in (select account_id from own))
        delete from users where id in (select user_id from people)`,
      [email],
    );
  } catch (error) {
    if (retries === 0 || (error as { code?: string }).code !== deadlock) throw error;
    await removeAccounts(app, email, retries - 1);
  }
}

/**
 * Returns the app that test files of this process share, with a separate account for the caller,
 * because starting an app takes 0.3 s of CPU. The caller must not move the clock or depend on state
 * outside accounts, such as roll-ups. `stop` deletes the account.
 */
export async function shareTestApp(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const app = await findApp(environment);
  const owner = await addOwner(app);
  const loggedBefore = app.logText().length;
  return {
    ...app,
    owner,
    logText: () => app.logText().slice(loggedBefore),
    call: (method, path, options) => app.call(method, path, { key: owner.apiKey, ...options }),
    stop: () => removeAccounts(app, owner.email),
  };
}
