import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { alertSettingsQuery, channelsQuery } from "../alerts/index.ts";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { Callout } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { PolicyUse, selectForAccount, useMaySelectForAccount } from "./policy-use.tsx";
import { policiesQuery, type Schedule, usesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.policies.pageThis;

/**
 * Creates a policy that pages the schedule. If `isForAll` is set, it becomes the policy of the
 * account.
 */
async function pageSchedule({ id: scheduleId, name }: Schedule, isForAll: boolean) {
  const steps = [{ afterMinutes: 0, targets: [{ scheduleId }] }];
  const body = { name: name.slice(0, 100), steps };
  const policy = await send(api.POST("/v1/escalation-policies", { body }));
  if (isForAll) await selectForAccount(policy.id);
}

function NotPaged({ schedule }: { readonly schedule: Schedule }) {
  const client = useQueryClient();
  const mayWrite = useMay("write");
  const { data: settings } = useQuery(alertSettingsQuery);
  const isForAll = useMaySelectForAccount();
  const page = useMutation({
    mutationFn: () => pageSchedule(schedule, isForAll),
    onSuccess: () => showNotice({ text: isForAll ? own.done : own.created }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () =>
      Promise.all([renewQueries(client, ["on-call"]), renewQueries(client, ["alert-settings"])]),
  });
  return (
    <Callout tone="fair">
      <p>
        <strong>{own.none}</strong> {isForAll && own.text}
      </p>
      {mayWrite && settings !== undefined && (
        <Row>
          <Button loading={page.isPending} onClick={() => page.mutate()}>
            {isForAll ? own.action : own.create}
          </Button>
        </Row>
      )}
    </Callout>
  );
}

/** Sends a test page to the person who is on call now, through that person's contact methods. */
function TestPage({ schedule: { id: scheduleId, name } }: { readonly schedule: Schedule }) {
  const test = useMutation({
    mutationFn: () => {
      const config = { name: name.slice(0, 100), scheduleId };
      return send(api.POST("/v1/alert-channels/test", { body: { type: "ONCALL", config } }));
    },
  });
  const isSent = test.data?.outcome === "sent";
  return (
    <>
      <Row>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {own.test}
        </Button>
      </Row>
      {test.data && (
        <Callout tone={isSent ? "good" : "bad"} role="status">
          <p>
            <strong>{isSent ? own.tested : own.notTested}</strong>{" "}
            <bdi>{test.data.recipient ?? test.data.reason}</bdi>
          </p>
        </Callout>
      )}
      {test.error && <ErrorPanel error={test.error} />}
    </>
  );
}

/**
 * Links to the escalation policies that page the schedule, and to the list of channels if an alert
 * channel does. If no check reaches the schedule, shows a warning and offers to change that.
 */
export function PagingPanel({ schedule }: { readonly schedule: Schedule }) {
  const mayWrite = useMay("write");
  const { data: policies } = useQuery(policiesQuery);
  const { data: channels } = useQuery(channelsQuery);
  const { data: uses } = useQuery(usesQuery);
  if (policies === undefined || channels === undefined || uses === undefined) return null;
  const paging = policies.filter(({ steps }) =>
    steps.some(({ targets }) => targets.some(({ scheduleId }) => scheduleId === schedule.id)),
  );
  const isInChannel = channels.some(
    ({ type, config }) =>
      type === "ONCALL" && (config as { scheduleId?: unknown }).scheduleId === schedule.id,
  );
  const isNamed = paging.length > 0 || isInChannel;
  const isPaged = uses.schedules.some(({ id }) => id === schedule.id);
  return (
    <section className={layoutStyles.inset} aria-label={own.title}>
      {!isNamed && <NotPaged schedule={schedule} />}
      {isNamed && (
        <Stack gap={2}>
          <Row as="p" tight gap={2} className={textStyles.wrap}>
            <span className={textStyles.muted}>{isPaged ? own.used : own.wouldPage}</span>
            {paging.map(({ id, name }) => (
              <Link key={id} to="/on-call/policies/$policyId" params={{ policyId: id }}>
                <bdi>{name}</bdi>
              </Link>
            ))}
            {isInChannel && <Link to="/alerts/channels">{words.policies.channels}</Link>}
          </Row>
          {!isPaged &&
            (paging.length === 0 ? (
              <Callout tone="fair">
                <p>
                  <strong>{own.none}</strong> {own.channelUnused}
                </p>
              </Callout>
            ) : (
              paging.slice(0, 1).map((policy) => <PolicyUse key={policy.id} policy={policy} />)
            ))}
          {mayWrite && <TestPage schedule={schedule} />}
        </Stack>
      )}
    </section>
  );
}
