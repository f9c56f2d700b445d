import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { alertSettingsQuery, channelsQuery, fetchAlertSettings } from "../alerts/index.ts";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ifMatch } from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { policiesQuery, type Schedule } from "./queries.ts";
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
  if (!isForAll) return;
  const { data, etag } = await fetchAlertSettings();
  const settings = { ...data, escalationPolicyId: policy.id, escalationStages: [] };
  const params = { header: ifMatch(etag) };
  await send(api.PUT("/v1/alert-settings", { params, body: settings }));
}

function NotPaged({ schedule }: { readonly schedule: Schedule }) {
  const client = useQueryClient();
  const isAdmin = useMay("admin");
  const mayWrite = useMay("write");
  const { data: settings } = useQuery(alertSettingsQuery);
  const isForAll = isAdmin && settings?.data.escalationPolicyId === null;
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
 * Links to each escalation policy that pages the schedule. If an alert channel pages the schedule,
 * also links to the list of channels. If nothing pages the schedule, shows a warning and offers to
 * create a policy.
 */
export function PagingPanel({ schedule }: { readonly schedule: Schedule }) {
  const mayWrite = useMay("write");
  const { data: policies } = useQuery(policiesQuery);
  const { data: channels } = useQuery(channelsQuery);
  if (policies === undefined || channels === undefined) return null;
  const paging = policies.filter(({ steps }) =>
    steps.some(({ targets }) => targets.some(({ scheduleId }) => scheduleId === schedule.id)),
  );
  const isInChannel = channels.some(
    ({ type, config }) =>
      type === "ONCALL" && (config as { scheduleId?: unknown }).scheduleId === schedule.id,
  );
  const isPaged = paging.length > 0 || isInChannel;
  return (
    <section className={layoutStyles.inset} aria-label={own.title}>
      {!isPaged && <NotPaged schedule={schedule} />}
      {isPaged && (
        <Stack gap={2}>
          <Row as="p" tight gap={2} className={textStyles.wrap}>
            <span className={textStyles.muted}>{own.used}</span>
            {paging.map(({ id, name }) => (
              <Link key={id} to="/on-call/policies/$policyId" params={{ policyId: id }}>
                <bdi>{name}</bdi>
              </Link>
            ))}
            {isInChannel && <Link to="/alerts/channels">{words.policies.channels}</Link>}
          </Row>
          {mayWrite && <TestPage schedule={schedule} />}
        </Stack>
      )}
    </section>
  );
}
