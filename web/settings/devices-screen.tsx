import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { channelsQuery } from "../alerts/index.ts";
import type { Schemas } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { Callout } from "../parts/blocks.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { ScreenBody, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import { devicesQuery, pushStateQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { findOwnDeviceId, turnPushOff, turnPushOn } from "./this-device.ts";
import { deviceWords as words } from "./words.ts";

/**
 * Turns push notifications on or off in this browser. If they cannot work, the reason is shown
 * instead of the button.
 */
function ThisDevice() {
  const queryClient = useQueryClient();
  const { data: state } = useQuery(pushStateQuery);
  const turnOn = useMutation({
    mutationFn: turnPushOn,
    onSuccess: (outcome) => {
      if (outcome === "on") showNotice({ text: words.turnedOn });
    },
    onSettled: async () => {
      await renewQueries(queryClient, ["push-state"]);
      await renewQueries(queryClient, ["push-subscriptions"]);
    },
  });
  return (
    <Stack as="section">
      <h2>{words.thisDevice}</h2>
      {state === undefined ? <Skeleton rows={1} /> : <p>{words.states[state]}</p>}
      {state === "off" && (
        <div>
          <Button loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
            {words.turnOn}
          </Button>
        </div>
      )}
      {turnOn.error && (
        <Callout tone="fair" align="start" role="alert">
          <p>{words.failed}</p>
          <p className={textStyles.muted}>{turnOn.error.message}</p>
        </Callout>
      )}
    </Stack>
  );
}

function DeviceRow({ device }: { readonly device: Schemas["PushSubscription"] }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => turnPushOff(device.id),
    onSuccess: () => showNotice({ text: words.removed }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: async () => {
      await renewQueries(queryClient, ["push-subscriptions"]);
      await renewQueries(queryClient, ["push-state"]);
    },
  });
  return (
    <tr>
      <td>
        <strong>{device.name}</strong>{" "}
        {device.id === findOwnDeviceId() && <span className={textStyles.muted}>{words.here}</span>}
      </td>
      <td data-label={words.through}>{device.host}</td>
      <td data-label={words.lastSent}>
        {device.lastSentAt === null ? words.never : <Ago at={device.lastSentAt} />}
      </td>
      <td className={textStyles.end}>
        <Button
          variant="default"
          size="xs"
          loading={remove.isPending}
          aria-label={`${words.remove} ${device.name}`}
          onClick={() => remove.mutate()}
        >
          {words.remove}
        </Button>
      </td>
    </tr>
  );
}

/**
 * Warns if no push channel exists, because devices receive only alerts that such a channel sends.
 */
function ChannelHint() {
  const mayWrite = useMay("write");
  const { data } = useQuery(channelsQuery);
  if (data === undefined || data.some(({ type }) => type === "WEBPUSH")) return null;
  return (
    <Callout tone="fair" align="start">
      <p>{words.noChannel}</p>
      {mayWrite && (
        <Link to="/alerts/channels/new" search={{ type: "WEBPUSH" }}>
          {words.createChannel}
        </Link>
      )}
    </Callout>
  );
}

function Devices() {
  const { data, error, refetch } = useQuery(devicesQuery);
  if (error) return <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.length === 0) {
    return (
      <EmptyState title={words.none}>
        <p>{words.noneHint}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ChannelHint />
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th>{words.device}</th>
            <th>{words.through}</th>
            <th>{words.lastSent}</th>
            <th>
              <span className="unseen">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map((device) => (
            <DeviceRow key={device.id} device={device} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function DevicesScreen() {
  return (
    <>
      <PageHeader title={words.title}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        <ThisDevice />
        <Stack as="section">
          <h2>{words.yours}</h2>
          <Devices />
        </Stack>
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/devices")({ component: DevicesScreen });
