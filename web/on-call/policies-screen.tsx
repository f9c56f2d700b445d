import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMay } from "../api/session.ts";
import blockStyles from "../parts/blocks.module.css";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { joinClasses, Stack } from "../parts/layout.tsx";
import { GoLink } from "../parts/links.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { OnCallFrame } from "./on-call-frame.tsx";
import { describePolicy, useTargetNames } from "./policy-sentences.ts";
import { PolicyUse } from "./policy-use.tsx";
import { policiesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.policies;

function AddPolicy() {
  return (
    <Button component={GoLink} href="/on-call/policies/new" leftSection={<PlusIcon size={16} />}>
      {own.add}
    </Button>
  );
}

function PoliciesScreen() {
  const { data, error, refetch } = useQuery(policiesQuery);
  const names = useTargetNames();
  const mayWrite = useMay("write");
  return (
    <OnCallFrame tabTitle={own.title} actions={mayWrite && data?.length !== 0 && <AddPolicy />}>
      {error && data === undefined && (
        <ErrorPanel error={error} title={own.notLoaded} onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data?.length === 0 && (
        <EmptyState title={own.empty}>
          <p>{own.emptyText}</p>
          {mayWrite && <AddPolicy />}
        </EmptyState>
      )}
      <Stack as="ul" gap={4}>
        {data?.map((policy) => (
          <Stack
            key={policy.id}
            as="li"
            gap={2}
            className={joinClasses(blockStyles.card, textStyles.wrap)}
          >
            <h2>
              <Link to="/on-call/policies/$policyId" params={{ policyId: policy.id }}>
                <bdi>{policy.name}</bdi>
              </Link>
            </h2>
            <ol>
              {describePolicy(policy, names).map((sentence) => (
                <li key={sentence}>
                  <bdi>{sentence}</bdi>
                </li>
              ))}
            </ol>
            <PolicyUse policy={policy} />
          </Stack>
        ))}
      </Stack>
    </OnCallFrame>
  );
}

export const route = createLazyRoute("/signed-in/on-call/policies")({ component: PoliciesScreen });
