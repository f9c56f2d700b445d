import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../api/session.ts";
import type { Version } from "../editing/index.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { DeleteChannelDialog } from "./delete-channel-dialog.tsx";
import { describeChannel } from "./describe-channel.ts";
import { channelKindsQuery, channelQuery, type Channel as Stored } from "./queries.ts";
import { SavedPanel } from "./saved-panel.tsx";
import { Subscribers } from "./subscribers.tsx";
import { words } from "./words.ts";

const own = words.channel;

/** The form and the actions, for users with write access. */
function ChannelEditor({ stored }: { readonly stored: Version<Stored> }) {
  const { data: channel } = stored;
  const router = useRouter();
  const [isDeleting, setDeleting] = useState(false);
  const { data: kinds, error, refetch } = useQuery(channelKindsQuery);
  if (error) return <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />;
  if (kinds === undefined) return <Skeleton rows={6} />;
  const kind = kinds.find(({ type }) => type === channel.type);
  if (kind === undefined) return <EmptyState title={own.gone}>{null}</EmptyState>;
  return (
    <>
      <ChannelForm kind={kind} stored={stored} />
      <div>
        <Button variant="default" onClick={() => setDeleting(true)}>
          {own.delete}
        </Button>
      </div>
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
  const { data, error, refetch, isFetchedAfterMount } = useQuery(channelQuery(id));
  if (error && !data) {
    return <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />;
  }
  if (!data || !isFetchedAfterMount) return <Skeleton rows={6} />;
  const { data: stored } = data;
  return (
    <>
      <GonePanel error={error} />
      {isSaved && <SavedPanel channel={stored} />}
      <h2>{describeChannel(stored)}</h2>
      {stored.problem !== null && <p className={textStyles.bad}>{stored.problem}</p>}
      {mayWrite && <ChannelEditor stored={data} />}
      <Subscribers channelId={id} autoSubscribe={stored.autoSubscribe} />
    </>
  );
}

function ChannelScreen() {
  const { channelId } = useParams({ from: "/signed-in/alerts/channels/$channelId" });
  const id = Number(channelId);
  const isId = Number.isInteger(id) && id > 0;
  const { data } = useQuery({ ...channelQuery(id), enabled: false });
  return (
    <AlertsFrame tabTitle={data === undefined ? words.channels : describeChannel(data.data)}>
      {isId ? <Channel key={id} id={id} /> : <EmptyState title={own.gone}>{null}</EmptyState>}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/channels/$channelId")({
  component: ChannelScreen,
});
