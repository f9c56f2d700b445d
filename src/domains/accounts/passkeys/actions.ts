import { inTransaction } from "../../../platform/database.ts";
import { notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { deleteOrphanedRecoveryCodes } from "../second-factors/actions.ts";
import { getSignedInSelf, type Proof, proveSelfUnlessFresh } from "../second-factors/proof.ts";
import { getSelf } from "../users/actions.ts";
import { lockUser, raiseCredentialVersion } from "../users/store.ts";
import type { Passkey } from "./passkey.ts";
import { deletePasskey, listPasskeys, updatePasskeyName } from "./store.ts";

export async function listOwnPasskeys(
  context: AccountsContext,
  caller: Caller,
): Promise<Passkey[]> {
  const user = await getSelf(context, caller);
  return listPasskeys(context.db, user.id);
}

export async function renamePasskey(
  context: AccountsContext,
  caller: Caller,
  change: { readonly id: string; readonly name: string },
): Promise<Passkey> {
  const user = await getSignedInSelf(context, caller);
  return inTransaction(context.db, async (db) => {
    const passkey = await updatePasskeyName(db, user.id, change);
    if (passkey === null) throw notFound();
    const at = context.clock.now();
    const changes = { name: change.name };
    await writeAuditEntry(db, caller, {
      action: "passkey.updated",
      targetId: change.id,
      changes,
      at,
    });
    return passkey;
  });
}

export async function removePasskey(
  context: AccountsContext,
  caller: Caller,
  { id, proof }: { readonly id: string; readonly proof: Proof },
): Promise<void> {
  const user = await proveSelfUnlessFresh(context, caller, proof);
  await inTransaction(context.db, async (db) => {
    await lockUser(db, user.id);
    const passkey = await deletePasskey(db, user.id, id);
    if (passkey === null) throw notFound();
    await deleteOrphanedRecoveryCodes(db, user.id);
    await raiseCredentialVersion(db, user.id);
    const at = context.clock.now();
    const changes = { name: passkey.name };
    await writeAuditEntry(db, caller, { action: "passkey.removed", targetId: id, changes, at });
  });
  context.credentials.forgetAll();
}
