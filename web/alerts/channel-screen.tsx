import { Button, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLoaded } from "../api/use-loaded.ts";
import type { Version } from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./alerts.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { ConnectAll, DeleteChannelDialog, subscriberWords, TestResult } from "./channel-parts.tsx";
import { describeChannel } from "./describe-channel.ts";
import {
  channelKindsQuery,
  channelQuery,
  checkCountQuery,
  type Shown,
  type Channel as Stored,
  subscriberPageSize,
  subscribersQuery,
} from "./queries.ts";
import { words } from "./words.ts";

const savedWords = words.saved;

/** Shows the next steps after a channel has been created. */
function SavedPanel({ channel }: { readonly channel: Stored }) {
  const { data: checks } = useQuery(checkCountQuery);
  const connected = channel.subscriptions.filter(({ activated }) => activated).length;
  const test = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/alert-channels/{id}/test", { params: { path: { id: channel.id } } })),
  });
  return (
    <Callout as="section" tone="good" aria-labelledby="saved">
      <h2 id="saved">{savedWords.title}</h2>
      <p>
        {checks === 0 && savedWords.noChecks}
        {checks !== 0 &&
          (connected === 0 ? savedWords.notConnected : savedWords.connected(connected))}
      </p>
      <Row gap={3}>
        <Button loading={test.isPending} onClick={() => test.mutate()}>
          {words.channel.test}
        </Button>
        {checks === 0 && (
          <Button component={Link} to="/checks/new" variant="default">
            {savedWords.addCheck}
          </Button>
        )}
        {checks !== 0 && connected === 0 && <a href="#subscribers">{savedWords.choose}</a>}
        <Link to="/alerts/channels">{words.channel.all}</Link>
        <Link to="/">{savedWords.now}</Link>
      </Row>
      {test.data && <TestResult result={test.data} />}
      {test.error && <ErrorPanel error={test.error} />}
    </Callout>
  );
}

type Subscriber = Schemas["AlertChannelSubscriber"];

interface SubscriberRowProps {
  readonly channelId: number;
  readonly subscriber: Subscriber;
}

function SubscriberRow({ channelId, subscriber }: SubscriberRowProps) {
  const mayWrite = useMay("write");
  const queryClient = useQueryClient();
  const { checkId, groupId, name, isSubscribed, throughGroup } = subscriber;
  const change = useMutation({
    mutationFn: (activated: boolean) =>
      send(
        api.PUT("/v1/alert-channels/{id}/subscriptions", {
          params: { path: { id: channelId } },
          body: { ...(checkId === null ? { groupId } : { checkId }), activated },
        }),
      ),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alert-channels"]),
  });
  const href = checkId === null ? `/groups/${groupId}` : `/checks/${checkId}`;
  const isOn = change.isPending ? change.variables : isSubscribed;
  return (
    <li className={`${listStyles.row} ${styles.subscriber}`}>
      {mayWrite ? (
        <Switch
          aria-label={subscriberWords.sends(name)}
          checked={isOn}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      ) : (
        <span className={textStyles.muted}>
          {isSubscribed ? subscriberWords.yes : subscriberWords.no}
        </span>
      )}
      <AddressLink href={href} className={`${textStyles.clamp} ${styles.name}`}>
        <bdi>{name}</bdi>
      </AddressLink>
      <span className={textStyles.muted}>
        {checkId === null
          ? subscriberWords.group
          : throughGroup !== null && subscriberWords.through(throughGroup)}
      </span>
    </li>
  );
}

interface PagesProps {
  readonly page: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

function Pages({ page, total, onPage }: PagesProps) {
  const last = Math.max(1, Math.ceil(total / subscriberPageSize));
  if (last === 1) return null;
  return (
    <Row as="nav" aria-label={subscriberWords.title}>
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {subscriberWords.before}
      </button>
      <span className={textStyles.muted}>
        {page} {words.list.of} {last}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        {subscriberWords.after}
      </button>
    </Row>
  );
}

interface SubscribersProps {
  readonly channelId: number;
  readonly autoSubscribe: boolean;
}

/**
 * Lists checks and groups, by default those that send alerts to this channel, and connects or
 * disconnects them. Changes are saved immediately.
 */
function Subscribers({ channelId, autoSubscribe }: SubscribersProps) {
  const mayWrite = useMay("write");
  const [shown, setShown] = useState<Shown>({ page: 1, search: "", which: "on" });
  const { data, error, refetch } = useQuery(subscribersQuery(channelId, shown));
  const { which, search, page } = shown;
  return (
    <Stack as="section" aria-labelledby="subscribers">
      <h2 id="subscribers">{subscriberWords.title}</h2>
      <p className={textStyles.muted}>
        {autoSubscribe ? subscriberWords.auto : subscriberWords.notAuto}
      </p>
      <Row gap={3} align="end">
        <TextInput
          className={layoutStyles.grow}
          label={subscriberWords.search}
          type="search"
          maxLength={200}
          value={search}
          onChange={(event) => setShown({ ...shown, page: 1, search: event.currentTarget.value })}
        />
        <NativeSelect
          label={subscriberWords.which}
          value={which}
          onChange={(event) =>
            setShown({ ...shown, page: 1, which: event.currentTarget.value as Shown["which"] })
          }
          data={[
            { value: "on", label: subscriberWords.on },
            { value: "off", label: subscriberWords.off },
            { value: "all", label: subscriberWords.all },
          ]}
        />
      </Row>
      {mayWrite && <ConnectAll channelId={channelId} search={search} />}
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={4} />}
      {data?.data.length === 0 && (
        <p>{which === "on" && search === "" ? subscriberWords.none : subscriberWords.noneFound}</p>
      )}
      {data !== undefined && data.data.length > 0 && (
        <ul className={listStyles.list}>
          {data.data.map((one) => (
            <SubscriberRow
              key={one.checkId ?? one.groupId}
              channelId={channelId}
              subscriber={one}
            />
          ))}
        </ul>
      )}
      <Pages
        page={page}
        total={data?.total ?? 0}
        onPage={(next) => setShown({ ...shown, page: next })}
      />
    </Stack>
  );
}

const own = words.channel;

interface ChannelEditorProps {
  readonly stored: Version<Stored>;
  /** Whether the user has just created the channel. */
  readonly isNew: boolean;
}

/** Shows the form and the actions of a channel to users with write access. */
function ChannelEditor({ stored, isNew }: ChannelEditorProps) {
  const { data: channel } = stored;
  const router = useRouter();
  const [isDeleting, setDeleting] = useState(false);
  const { data: kinds } = useSuspenseQuery(channelKindsQuery);
  const kind = kinds.find(({ type }) => type === channel.type);
  if (kind === undefined) return <EmptyState title={own.gone}>{null}</EmptyState>;
  return (
    <>
      <ChannelForm
        kind={kind}
        stored={stored}
        isNew={isNew}
        atEnd={
          <Button variant="outline" color="red" onClick={() => setDeleting(true)}>
            {own.delete}
          </Button>
        }
      />
      {isDeleting && (
        <DeleteChannelDialog
          channel={channel}
          onClose={() => setDeleting(false)}
          onDeleted={() => router.navigate({ to: "/alerts/channels", ignoreBlocker: true })}
        />
      )}
    </>
  );
}

function Channel({ id }: { readonly id: number }) {
  const mayWrite = useMay("write");
  const { saved: isSaved } = useSearch({ from: "/signed-in/alerts/channels/$channelId" });
  const { data, error } = useLoaded(channelQuery(id));
  const { data: stored } = data;
  return (
    <AlertsFrame tabTitle={describeChannel(stored)}>
      <GonePanel error={error} />
      {isSaved && <SavedPanel channel={stored} />}
      <h2>{describeChannel(stored)}</h2>
      {stored.problem !== null && <p className={textStyles.bad}>{stored.problem}</p>}
      {mayWrite && <ChannelEditor stored={data} isNew={isSaved === true} />}
      <Subscribers channelId={id} autoSubscribe={stored.autoSubscribe} />
    </AlertsFrame>
  );
}

function ChannelScreen() {
  const { channelId } = useParams({ from: "/signed-in/alerts/channels/$channelId" });
  return <Channel key={channelId} id={Number(channelId)} />;
}

export const route = createLazyRoute("/signed-in/alerts/channels/$channelId")({
  component: ChannelScreen,
});
