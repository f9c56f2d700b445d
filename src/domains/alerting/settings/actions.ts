import { isDeepStrictEqual } from "node:util";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { invalid } from "../../../platform/errors.ts";
import { assertMatch, tagVersion } from "../../../platform/http/entity-tag.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { listExistingChannelIds } from "../../alert-channels/index.ts";
import type { AlertingContext } from "../context.ts";
import type { AccountAlertSettings } from "./account-alert-settings.ts";
import {
  findSettingsVersion,
  getSettings,
  lockSettingsVersion,
  saveSettings,
} from "./settings-store.ts";

function listKnownChannels(
  db: Database,
  accountId: string,
  { escalationStages }: AccountAlertSettings,
): Promise<Set<number>> {
  const ids = escalationStages.flatMap((stage) => stage.alertChannelIds);
  return listExistingChannelIds(db, accountId, ids);
}

export interface TaggedSettings {
  readonly settings: AccountAlertSettings;
  readonly tag: string;
}

/** Omits deleted channels so that a client can send back what it read. */
export async function readSettings(
  context: AlertingContext,
  caller: Caller,
): Promise<TaggedSettings> {
  const tag = tagVersion(await findSettingsVersion(context.db, caller.accountId));
  const settings = await getSettings(context.db, caller.accountId);
  const known = await listKnownChannels(context.db, caller.accountId, settings);
  const escalationStages = settings.escalationStages.map((stage) => ({
    ...stage,
    alertChannelIds: stage.alertChannelIds.filter((id) => known.has(id)),
  }));
  return { settings: { ...settings, escalationStages }, tag };
}

export async function changeSettings(
  context: AlertingContext,
  caller: Caller,
  change: { readonly settings: AccountAlertSettings; readonly ifMatch?: string | undefined },
): Promise<TaggedSettings> {
  const { settings } = change;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const version = await lockSettingsVersion(db, caller.accountId);
    assertMatch(change.ifMatch, tagVersion(version));
    const before = await getSettings(db, caller.accountId);
    const known = await listKnownChannels(db, caller.accountId, settings);
    for (const [stage, { alertChannelIds }] of settings.escalationStages.entries()) {
      const unknown = alertChannelIds.findIndex((id) => !known.has(id));
      const key = `escalationStages.${stage}.alertChannelIds.${unknown}`;
      if (unknown >= 0) throw invalid(key, "does not exist in this account");
    }
    await saveSettings(db, caller.accountId, { settings, at });
    const note = { action: "alert-settings.updated", changes: diffSettings(before, settings) };
    await writeAuditEntry(db, caller, { ...note, targetId: caller.accountId, at });
    return { settings, tag: tagVersion(version + 1) };
  });
}

/** Returns the changed fields with their old and new values. */
function diffSettings(before: AccountAlertSettings, after: AccountAlertSettings) {
  const was: Readonly<Record<string, unknown>> = { ...before };
  const changed = Object.entries(after).filter(([key, to]) => !isDeepStrictEqual(was[key], to));
  return Object.fromEntries(changed.map(([key, to]) => [key, { from: was[key] ?? null, to }]));
}
