import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import styles from "./alerts.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { DeleteChannelDialog } from "./delete-channel-dialog.tsx";
import { describeChannel } from "./describe-channel.ts";
import { channelKindsQuery, channelQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.channel;

function Channel({ id }: { readonly id: number }) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const [turn, setTurn] = useState(0);
  const [isDeleting, setDeleting] = useState(false);
  const channel = useQuery(channelQuery(id));
  const kinds = useQuery(channelKindsQuery);
  const error = channel.error ?? kinds.error;
  if (error && !channel.data) {
    return <ErrorPanel error={error} title={words.loadFailed} onRetry={channel.refetch} />;
  }
  if (!channel.data || !channel.isFetchedAfterMount || !kinds.data) return <Skeleton rows={6} />;
  const { data: stored, etag } = channel.data;
  const kind = kinds.data.find(({ type }) => type === stored.type);
  if (kind === undefined) return <EmptyState title={own.gone}>{null}</EmptyState>;
  return (
    <>
      <h2>{describeChannel(stored)}</h2>
      {stored.problem !== null && <p className={styles.bad}>{stored.problem}</p>}
      <ChannelForm
        key={turn}
        kind={kind}
        stored={{ channel: stored, etag }}
        onReload={async () => {
          await queryClient.refetchQueries({ queryKey: ["alert-channels", "one", id] });
          setTurn(turn + 1);
        }}
      />
      <div>
        <Button variant="default" onClick={() => setDeleting(true)}>
          {own.delete}
        </Button>
      </div>
      {isDeleting && (
        <DeleteChannelDialog
          channel={stored}
          onClose={() => setDeleting(false)}
          onDeleted={() => void router.navigate({ to: "/alerts/channels" })}
        />
      )}
    </>
  );
}

function ChannelScreen() {
  const { channelId } = useParams({ from: "/signed-in/alerts/channels/$channelId" });
  const mayWrite = useMay("write");
  const id = Number(channelId);
  const isId = Number.isInteger(id) && id > 0;
  return (
    <AlertsFrame>
      {isId && mayWrite ? (
        <Channel key={id} id={id} />
      ) : (
        <EmptyState title={own.gone}>{null}</EmptyState>
      )}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/channels/$channelId")({
  component: ChannelScreen,
});
