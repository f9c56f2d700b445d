import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { alertSettingsQuery, fetchAlertSettings } from "../alerts/index.ts";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ifMatch } from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { Row } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { type Policy, usesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.policies;

/** Selects a policy for all checks of the account that select no other. */
export async function selectForAccount(escalationPolicyId: string): Promise<void> {
  const { data, etag } = await fetchAlertSettings();
  const settings = { ...data, escalationPolicyId, escalationStages: [] };
  const params = { header: ifMatch(etag) };
  await send(api.PUT("/v1/alert-settings", { params, body: settings }));
}

/** Whether the user can select the policy of the account, which has none yet. */
export function useMaySelectForAccount(): boolean {
  const isAdmin = useMay("admin");
  const { data: settings } = useQuery(alertSettingsQuery);
  return isAdmin && settings?.data.escalationPolicyId === null;
}

function UnusedPolicy({ policy: { id, name } }: { readonly policy: Policy }) {
  const client = useQueryClient();
  const maySelect = useMaySelectForAccount();
  const select = useMutation({
    mutationFn: () => selectForAccount(id),
    onSuccess: () => showNotice({ text: own.selected(name) }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () =>
      Promise.all([renewQueries(client, ["on-call"]), renewQueries(client, ["alert-settings"])]),
  });
  return (
    <Callout tone="fair">
      <p>
        <strong>{own.unused}</strong> {!maySelect && own.selectLater}
      </p>
      {maySelect && (
        <Row>
          <Button loading={select.isPending} onClick={() => select.mutate()}>
            {own.useForAll}
          </Button>
        </Row>
      )}
    </Callout>
  );
}

/** Shows how many checks use a policy. Warns if none does: the policy then alerts nobody. */
export function PolicyUse({ policy }: { readonly policy: Policy }) {
  const { data: settings } = useQuery(alertSettingsQuery);
  const { data: uses } = useQuery(usesQuery);
  const checkCount = uses?.policies.find(({ id }) => id === policy.id)?.checkCount;
  if (settings === undefined || checkCount === undefined) return null;
  const isOfAccount = settings.data.escalationPolicyId === policy.id;
  if (checkCount === 0 && !isOfAccount) return <UnusedPolicy policy={policy} />;
  return (
    <p className={textStyles.muted}>
      {isOfAccount ? own.ofAccount(checkCount) : own.usedBy(checkCount)}
    </p>
  );
}
