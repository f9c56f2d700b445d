import {
  type EscalationPolicy,
  listPolicyStages,
  mapPolicies,
} from "../../../channels/escalation-policies/index.ts";
import { findCheckPolicyId } from "../../../checks/checks/index.ts";
import type { Database } from "../../../platform/database.ts";
import type { EscalationStage } from "../alert-rules.ts";
import {
  type AccountAlertSettings,
  type AlertSettings,
  loadAccountSettings,
} from "./settings-store.ts";

/** Escalation policy or stages for an alert that nobody acknowledges. */
export interface Escalation {
  /** Escalation policy that applies; `null` if the account has stages instead, or no escalation. */
  readonly policy: EscalationPolicy | null;
  readonly stages: readonly EscalationStage[];
}

type OwnSettings = Pick<AlertSettings, "escalationPolicyId">;

/** Finds the escalation of each check in a batch. */
export interface Escalations {
  /** Returns the escalation of a check. `own` is the setting of the check or its group. */
  readonly find: (accountId: string, own: OwnSettings) => Escalation;
}

const noEscalation: Escalation = { policy: null, stages: [] };

function toStages({ escalationStages }: AccountAlertSettings): EscalationStage[] {
  return escalationStages.map(({ afterMinutes, alertChannelIds: channelIds }) => {
    return { afterMinutes, channelIds };
  });
}

/** Loads the escalation policies of checks and of their accounts. Makes a single query. */
export async function loadEscalations(
  db: Database,
  accounts: ReadonlyMap<string, AccountAlertSettings>,
  own: readonly OwnSettings[],
): Promise<Escalations> {
  const named = [...accounts.values(), ...own].flatMap((one) => one.escalationPolicyId ?? []);
  const policies = await mapPolicies(db, [...new Set(named.map((id) => id.toLowerCase()))]);
  const escalations = new Map(
    [...policies.values()].map((policy) => [
      policy.id,
      { accountId: policy.accountId, policy, stages: listPolicyStages(policy) },
    ]),
  );
  const ofAccounts = new Map(
    [...accounts].map(([id, settings]) => [id, { policy: null, stages: toStages(settings) }]),
  );
  const get = (accountId: string, id: string | null | undefined) => {
    const found = id ? escalations.get(id.toLowerCase()) : undefined;
    return found?.accountId === accountId ? found : undefined;
  };
  return {
    find: (accountId, { escalationPolicyId }) =>
      get(accountId, escalationPolicyId) ??
      get(accountId, accounts.get(accountId)?.escalationPolicyId) ??
      ofAccounts.get(accountId) ??
      noEscalation,
  };
}

/** Finds the escalation of one check. */
export async function findEscalation(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<Escalation> {
  const own = { escalationPolicyId: await findCheckPolicyId(db, accountId, checkId) };
  const accounts = await loadAccountSettings(db, [accountId]);
  return (await loadEscalations(db, accounts, [own])).find(accountId, own);
}
