import { randomUUIDv7 } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { mapCheckNames } from "../../checks/index.ts";
import {
  type AddressSecret,
  describeAddress,
  hashAddress,
  isStrongEnough,
  type PushAddress,
} from "./push-address.ts";
import {
  deletePushAddress,
  hasPushAddress,
  insertPushAddress,
  listPushAddresses,
} from "./store.ts";

interface AddressesContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** `weak` if the secret could be guessed, `taken` if another check has the address. */
export type AddedAddress = "added" | "existing" | "weak" | "taken";

/** Makes an old address valid for a check of the caller's account. */
export async function addPushAddress(
  { db, clock }: AddressesContext,
  { accountId }: Caller,
  { checkId, secret }: { readonly checkId: string; readonly secret: AddressSecret },
): Promise<AddedAddress> {
  if (!isStrongEnough(secret)) return "weak";
  const digest = hashAddress(secret);
  if (await hasPushAddress(db, accountId, { checkId, digest })) return "existing";
  const { form } = secret;
  const address = { id: randomUUIDv7(), checkId, form, digest, hint: describeAddress(secret) };
  const isAdded = await insertPushAddress(db, accountId, { ...address, createdAt: clock.now() });
  return isAdded ? "added" : "taken";
}

export interface NamedAddress extends PushAddress {
  readonly checkName: string;
}

export async function listOwnAddresses(
  { db }: Pick<AddressesContext, "db">,
  { accountId }: Caller,
): Promise<NamedAddress[]> {
  const addresses = await listPushAddresses(db, accountId);
  const ids = [...new Set(addresses.map(({ checkId }) => checkId))];
  const names = await mapCheckNames(db, accountId, ids);
  return addresses.map((one) => ({ ...one, checkName: names.get(one.checkId) ?? "" }));
}

export async function removePushAddress(
  { db, clock }: AddressesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const removed = await deletePushAddress(transaction, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "push-address.deleted", changes: { address: removed.hint } };
    await writeAuditEntry(transaction, caller, { ...note, targetId: id, at: clock.now() });
  });
}
