import { Button } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { BellIcon, BracesIcon, MailIcon, PhoneIcon, PlusIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import textStyles from "../parts/text.module.css";
import styles from "./alerts.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import { DeleteChannelDialog, TestResult } from "./channel-parts.tsx";
import { nameChannel, nameKind } from "./describe-channel.ts";
import { kindLines } from "./field-words.ts";
import kindLogoStyles from "./kind-logo.module.css";
import { type Channel, channelKindsQuery, channelsQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Symbols of generic channel types, such as email. The other types have a monogram. */
const signs = { EMAIL: MailIcon, WEBHOOK: BracesIcon, SMS: PhoneIcon, WEBPUSH: BellIcon } as const;

const monograms: Readonly<Record<string, string>> = {
  SLACK: "Sl",
  MSTEAMS: "Te",
  DISCORD: "Di",
  TELEGRAM: "Tg",
  PAGERDUTY: "Pd",
  OPSGENIE: "Og",
  NTFY: "nt",
  GOTIFY: "Go",
  MATTERMOST: "Mm",
  MATRIX: "Mx",
  GOOGLECHAT: "Gc",
  PUSHOVER: "Po",
  HOMEASSISTANT: "Ha",
  APPRISE: "Ap",
  ONCALL: "Oc",
  ALERTMANAGER: "Am",
  JIRASERVICEMANAGEMENT: "Js",
  INCIDENTIO: "io",
  SIGNAL: "Si",
  TWILIO: "Tw",
};

function KindLogo({ type }: { readonly type: string }) {
  const Sign = type in signs ? signs[type as keyof typeof signs] : null;
  return (
    <span className={kindLogoStyles.logo} aria-hidden="true">
      {Sign === null ? (monograms[type] ?? type.slice(0, 2)) : <Sign size={18} />}
    </span>
  );
}

const own = words.channel;

function countSubscribers({ subscriptions }: Channel): string {
  const active = subscriptions.filter(({ activated }) => activated).length;
  return active === 0 ? own.nobodySends : own.subscribers(active);
}

function ChannelRow({ channel, onDelete }: { channel: Channel; onDelete: () => void }) {
  const mayWrite = useMay("write");
  const mayRun = useMay("run");
  const test = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/alert-channels/{id}/test", { params: { path: { id: channel.id } } })),
  });
  const name = nameChannel(channel);
  const edit = { to: "/alerts/channels/$channelId", params: { channelId: String(channel.id) } };
  return (
    <li>
      <Row gap={4} tight className={`${listStyles.item} ${styles.row}`}>
        <KindLogo type={channel.type} />
        <span className={styles.main}>
          <Link {...edit}>{name || own.edit}</Link>{" "}
          <span className={textStyles.muted}>{nameKind(channel.type)}</span>
          {channel.problem !== null && <span className={textStyles.bad}> {channel.problem}</span>}
        </span>
        <span className={textStyles.muted}>{countSubscribers(channel)}</span>
        <Row as="span">
          {mayRun && (
            <Button
              variant="default"
              size="xs"
              loading={test.isPending}
              aria-label={`${own.test}: ${name}`}
              onClick={() => test.mutate()}
            >
              {own.test}
            </Button>
          )}
          {mayWrite && (
            <Button
              variant="default"
              size="xs"
              aria-label={`${own.delete} ${name}`}
              onClick={onDelete}
            >
              {own.delete}
            </Button>
          )}
        </Row>
      </Row>
      {test.data && <TestResult result={test.data} />}
      {test.error && <ErrorPanel error={test.error} />}
    </li>
  );
}

/** Shows the channel types to select the type of a new channel. */
export function KindChoice() {
  const { data } = useSuspenseQuery(channelKindsQuery);
  return (
    <Stack as="section">
      <h2>{own.choose}</h2>
      <ul className={styles.kinds}>
        {data.map(({ type }) => (
          <li key={type}>
            <Link to="/alerts/channels/new" search={{ type }} className={styles.kind}>
              <KindLogo type={type} />
              <Stack as="span" gap={0} className={`${textStyles.strong} ${textStyles.wrap}`}>
                {nameKind(type)}
                <span className={`${textStyles.muted} ${textStyles.regular}`}>
                  {kindLines[type]}
                </span>
              </Stack>
            </Link>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function ChannelsScreen() {
  const mayWrite = useMay("write");
  const { data } = useSuspenseQuery(channelsQuery);
  const [deleted, setDeleted] = useState<Channel | null>(null);
  const create = mayWrite && data.length > 0 && (
    <Button component={Link} to="/alerts/channels/new" leftSection={<PlusIcon size={16} />}>
      {own.create}
    </Button>
  );
  return (
    <AlertsFrame tabTitle={words.channels} actions={create}>
      {data.length === 0 && (
        <>
          <EmptyState title={own.empty}>
            <p>{own.emptyText}</p>
          </EmptyState>
          {mayWrite && <KindChoice />}
        </>
      )}
      {data.length > 0 && (
        <ul className={listStyles.list}>
          {data.map((channel) => (
            <ChannelRow key={channel.id} channel={channel} onDelete={() => setDeleted(channel)} />
          ))}
        </ul>
      )}
      {deleted && <DeleteChannelDialog channel={deleted} onClose={() => setDeleted(null)} />}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/channels")({ component: ChannelsScreen });
