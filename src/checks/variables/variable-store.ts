import { type Caller, isAllowed } from "../../access/accounts/index.ts";
import { AccountMemory } from "../../platform/account-memory.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, runSql } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { invalid } from "../../platform/errors.ts";

/** Text that is shown instead of a value that the caller may not read. */
export const mask = "********";

export const maxValueLength = 32_768;

const field = "environmentVariables";

/** A variable as the API shows it. */
export interface Variable {
  readonly key: string;
  /** Value; `null` if the variable is secret, or if this server's key cannot decrypt the value. */
  readonly value: string | null;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** A variable as stored in the database. */
export interface StoredVariable {
  readonly key: string;
  /** Encrypted value; not encrypted if `isSealed` is absent, as in rows of older releases. */
  readonly value: string;
  readonly isSealed?: boolean;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** Fields of a request that creates or changes a variable. */
export interface VariableInput {
  readonly key: string;
  /** New value; `null` or the mask keeps the hidden value that is stored. */
  readonly value: string | null;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** Returns whether the value is locked or secret, so that no result may show it. */
export function isHidden({ locked, secret }: Pick<StoredVariable, "locked" | "secret">): boolean {
  return locked === true || secret === true;
}

/** Returns the plain value; `null` if it was encrypted with another key. */
export function openValue(
  { value, isSealed }: StoredVariable,
  encryption: Encryption,
): string | null {
  return isSealed === true ? encryption.tryDecrypt(value) : value;
}

export function showVariable(
  stored: StoredVariable,
  encryption: Encryption,
  { mayWrite }: { readonly mayWrite: boolean },
): Variable {
  const { key, locked = false, secret = false } = stored;
  if (secret) return { key, value: null, locked, secret };
  const value = openValue(stored, encryption);
  return { key, value: value !== null && locked && !mayWrite ? mask : value, locked, secret };
}

type StoreDecision =
  | { readonly kind: "stored"; readonly variable: StoredVariable }
  /** The change would make a hidden value visible, so the value must be entered again. */
  | { readonly kind: "unlocked" }
  /** The input has no value, and there is no stored value to keep. */
  | { readonly kind: "no-value" };

/** Decides what to store. A secret stays secret, because a change could reveal its value. */
export function decideStored(
  before: StoredVariable | null,
  { key, value, locked = false, secret: isMadeSecret = false }: VariableInput,
  encryption: Encryption,
): StoreDecision {
  const secret = before?.secret === true || isMadeSecret;
  const keepsStored = before !== null && isHidden(before) && (value === mask || value === null);
  if (keepsStored) {
    if (!isHidden({ locked, secret })) return { kind: "unlocked" };
    return { kind: "stored", variable: { ...before, key, locked, secret } };
  }
  if (value === null) return { kind: "no-value" };
  const sealed = encryption.encrypt(value);
  return { kind: "stored", variable: { key, value: sealed, isSealed: true, locked, secret } };
}

export const rejections = {
  unlocked: "must be entered again when it is unlocked",
  "no-value": "must be a text",
} as const satisfies Readonly<Record<Exclude<StoreDecision["kind"], "stored">, string>>;

/**
 * Returns the variables of a check or group after a change. `inputs` is the new list of variables.
 * If `inputs` is `undefined`, the stored variables stay unchanged. If `inputs` is `null`, all
 * variables are removed.
 */
export function storeVariables(
  before: readonly StoredVariable[],
  inputs: readonly VariableInput[] | null | undefined,
  encryption: Encryption,
): readonly StoredVariable[] {
  if (inputs === undefined) return before;
  const stored = new Map(before.map((variable) => [variable.key, variable]));
  const keys = new Set<string>();
  return (inputs ?? []).map((input, index) => {
    if (keys.has(input.key)) throw invalid(`${field}.${index}.key`, "is a duplicate");
    keys.add(input.key);
    const decision = decideStored(stored.get(input.key) ?? null, input, encryption);
    if (decision.kind === "stored") return decision.variable;
    throw invalid(`${field}.${index}.value`, rejections[decision.kind]);
  });
}

/** Returns the variables with the values that the caller may read. */
export function showVariables(
  variables: readonly StoredVariable[],
  encryption: Encryption,
  { role }: Caller,
): Variable[] {
  const mayWrite = isAllowed("write", role, false);
  return variables.map((variable) => showVariable(variable, encryption, { mayWrite }));
}

/**
 * Lists the encrypted values of the newest variables of all accounts. The server decrypts this
 * sample to check whether its encryption key is correct.
 */
export async function listSealedInVariables(db: Database, maxValues: number): Promise<string[]> {
  const text = "select sealed from variables order by created_at desc limit $1";
  const rows = await runSql<{ sealed: string }>(db, text, [maxValues]);
  return rows.map(({ sealed }) => sealed);
}

/** A variable of an account with its version, which the ETag contains. */
export interface AccountVariable extends StoredVariable {
  readonly version: number;
}

const columns = `key, sealed as value, true as "isSealed", is_locked as locked,
  is_secret as secret, version`;

/** Inserts a variable; returns false if the account already has a variable with this key. */
export async function insertVariable(
  db: Database,
  accountId: string,
  { key, value, locked, secret, createdAt }: StoredVariable & { readonly createdAt: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into variables (account_id, key, sealed, is_locked, is_secret, created_at)
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning key`,
    [accountId, key, value, locked === true, secret === true, createdAt],
  );
  return rows.length > 0;
}

export async function countVariables(db: Database, accountId: string): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    db,
    "select count(*)::int as count from variables where account_id = $1",
    [accountId],
  );
  return row?.count ?? 0;
}

export async function findVariable(
  db: Database,
  accountId: string,
  key: string,
): Promise<AccountVariable | null> {
  const text = `select ${columns} from variables where account_id = $1 and key = $2`;
  const [row] = await runSql<AccountVariable>(db, text, [accountId, key]);
  return row ?? null;
}

/** Locks the row until the transaction ends, so that changes do not overwrite each other. */
export async function lockVariable(
  db: Database,
  accountId: string,
  key: string,
): Promise<AccountVariable | null> {
  const text = `select ${columns} from variables where account_id = $1 and key = $2 for update`;
  const [row] = await runSql<AccountVariable>(db, text, [accountId, key]);
  return row ?? null;
}

/** Returns a page of variables by key, and the total for the `Content-Range` header. */
export async function listVariables(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly variables: AccountVariable[]; readonly total: number }> {
  const variables = await runSql<AccountVariable>(
    db,
    `select ${columns} from variables where account_id = $1
      order by key collate "C" limit $2 offset $3`,
    [accountId, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  return { variables, total: await countVariables(db, accountId) };
}

export async function listAllVariables(
  db: Database,
  accountId: string,
): Promise<AccountVariable[]> {
  return runSql(db, `select ${columns} from variables where account_id = $1`, [accountId]);
}

export async function updateVariable(
  db: Database,
  accountId: string,
  {
    key,
    value,
    locked,
    secret,
    version,
    updatedAt,
  }: AccountVariable & { readonly updatedAt: Date },
): Promise<void> {
  await runSql(
    db,
    `update variables set sealed = $3, is_locked = $4, is_secret = $5, version = $6,
      updated_at = $7 where account_id = $1 and key = $2`,
    [accountId, key, value, locked === true, secret === true, version, updatedAt],
  );
}

export async function deleteVariable(
  db: Database,
  accountId: string,
  key: string,
): Promise<boolean> {
  const text = "delete from variables where account_id = $1 and key = $2 returning key";
  return (await runSql(db, text, [accountId, key])).length > 0;
}

/**
 * Caches the encrypted variables of accounts. Without this cache, every run that uses variables
 * would need an additional database query.
 */
export type AccountVariables = AccountMemory<ReadonlyMap<string, StoredVariable>>;

export function createAccountVariables(db: Database, isListening: () => boolean): AccountVariables {
  return new AccountMemory(isListening, async (accountId) => {
    const variables = await listAllVariables(db, accountId);
    return new Map(variables.map((variable) => [variable.key, variable]));
  });
}

export interface VariablesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly accountVariables: AccountVariables;
  /**
   * Throws if the caller may not set or delete the variable with this key. If the host of a check
   * contains the variable, a new value would make the check send its other hidden values to another
   * host. Must be called in the transaction of the change. The module `checks` provides this
   * function.
   */
  readonly assertMayRedefine: (db: Database, caller: Caller, key: string) => Promise<void>;
}
