import { type Database, inTransaction } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { listKnownChannelIds } from "../../alert-channels/index.ts";
import type { AlertingContext } from "../context.ts";
import type { AccountAlertSettings } from "./account-alert-settings.ts";
import { getSettings, saveSettings } from "./store.ts";

function listKnownChannels(
  db: Database,
  accountId: string,
  { escalationStages }: AccountAlertSettings,
): Promise<Set<number>> {
  const ids = escalationStages.flatMap((stage) => stage.alertChannelIds);
  return listKnownChannelIds(db, accountId, ids);
}

/** Deleted channels are left out, so that a client can send back what it read. */
export async function readSettings(
  context: AlertingContext,
  caller: Caller,
): Promise<AccountAlertSettings> {
  const settings = await getSettings(context.db, caller.accountId);
  const known = await listKnownChannels(context.db, caller.accountId, settings);
  const escalationStages = settings.escalationStages.map((stage) => ({
    ...stage,
    alertChannelIds: stage.alertChannelIds.filter((id) => known.has(id)),
  }));
  return { ...settings, escalationStages };
}

export async function changeSettings(
  context: AlertingContext,
  caller: Caller,
  settings: AccountAlertSettings,
): Promise<AccountAlertSettings> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const known = await listKnownChannels(db, caller.accountId, settings);
    for (const [stage, { alertChannelIds }] of settings.escalationStages.entries()) {
      const unknown = alertChannelIds.findIndex((id) => !known.has(id));
      const key = `escalationStages.${stage}.alertChannelIds.${unknown}`;
      if (unknown >= 0) throw invalid(key, "is not known in this account");
    }
    await saveSettings(db, caller.accountId, { settings, at });
    const note = { action: "alert-settings.updated", changes: { settings } };
    await writeAuditEntry(db, caller, { ...note, targetId: caller.accountId, at });
  });
  return settings;
}
