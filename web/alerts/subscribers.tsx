import { NativeSelect, Switch, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { AddressLink } from "../parts/address-link.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./alerts.module.css";
import { ConnectAll } from "./connect-all.tsx";
import { type Shown, subscriberPageSize, subscribersQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.subscribers;
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
          aria-label={own.sends(name)}
          checked={isOn}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      ) : (
        <span className={textStyles.muted}>{isSubscribed ? own.yes : own.no}</span>
      )}
      <AddressLink href={href} className={`${textStyles.clamp} ${styles.name}`}>
        <bdi>{name}</bdi>
      </AddressLink>
      <span className={textStyles.muted}>
        {checkId === null ? own.group : throughGroup !== null && own.through(throughGroup)}
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
    <Row as="nav" aria-label={own.title}>
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {own.before}
      </button>
      <span className={textStyles.muted}>
        {page} {words.list.of} {last}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        {own.after}
      </button>
    </Row>
  );
}

interface SubscribersProps {
  readonly channelId: number;
  readonly autoSubscribe: boolean;
}

/** The checks and groups that send to this channel. Changes are saved immediately. */
export function Subscribers({ channelId, autoSubscribe }: SubscribersProps) {
  const mayWrite = useMay("write");
  const [shown, setShown] = useState<Shown>({ page: 1, search: "", which: "on" });
  const { data, error, refetch } = useQuery(subscribersQuery(channelId, shown));
  const { which, search, page } = shown;
  return (
    <Stack as="section" aria-labelledby="subscribers">
      <h2 id="subscribers">{own.title}</h2>
      <p className={textStyles.muted}>{autoSubscribe ? own.auto : own.notAuto}</p>
      <Row gap={3} align="end">
        <TextInput
          className={layoutStyles.grow}
          label={own.search}
          type="search"
          maxLength={200}
          value={search}
          onChange={(event) => setShown({ ...shown, page: 1, search: event.currentTarget.value })}
        />
        <NativeSelect
          label={own.which}
          value={which}
          onChange={(event) =>
            setShown({ ...shown, page: 1, which: event.currentTarget.value as Shown["which"] })
          }
          data={[
            { value: "on", label: own.on },
            { value: "off", label: own.off },
            { value: "all", label: own.all },
          ]}
        />
      </Row>
      {mayWrite && <ConnectAll channelId={channelId} search={search} />}
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={4} />}
      {data?.data.length === 0 && (
        <p>{which === "on" && search === "" ? own.none : own.noneFound}</p>
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
