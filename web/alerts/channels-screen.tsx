import { Button } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import {
  BellIcon,
  BracesIcon,
  MailIcon,
  PersonIcon,
  PhoneIcon,
  PlusIcon,
} from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import textStyles from "../parts/text.module.css";
import styles from "./alerts.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import channelLogos from "./channel-logos.json" with { type: "json" };
import { DeleteChannelDialog, TestResult } from "./channel-parts.tsx";
import { nameChannel, nameKind } from "./describe-channel.ts";
import { kindLines } from "./field-words.ts";
import kindLogoStyles from "./kind-logo.module.css";
import { type Channel, channelKindsQuery, channelsQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Symbols of generic channel types, such as email. */
const signs: Readonly<Record<string, typeof MailIcon>> = {
  EMAIL: MailIcon,
  WEBHOOK: BracesIcon,
  SMS: PhoneIcon,
  WEBPUSH: BellIcon,
  ONCALL: PersonIcon,
};

/** Monograms of services without a free logo. */
const monograms: Readonly<Record<string, string>> = {
  GOTIFY: "Go",
  PUSHOVER: "Po",
  APPRISE: "Ap",
  INCIDENTIO: "io",
};

/** Paths in a square of 24 × 24, from Simple Icons (CC0, see decision 0175). */
const logos: Readonly<Record<string, string>> = channelLogos;

function KindSign({ type }: { readonly type: string }) {
  const Sign = signs[type];
  if (Sign !== undefined) return <Sign size={20} />;
  const logo = logos[type];
  if (logo === undefined) return monograms[type] ?? type.slice(0, 2);
  return (
    <svg width={20} height={20} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <path d={logo} />
    </svg>
  );
}

function KindLogo({ type }: { readonly type: string }) {
  return (
    <span className={kindLogoStyles.logo} aria-hidden="true">
      <KindSign type={type} />
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
