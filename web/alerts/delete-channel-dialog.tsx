import { useQuery } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { describeChannel } from "./describe-channel.ts";
import type { Channel } from "./queries.ts";
import { alertSettingsQuery, maxNames, subscriberNamesQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.channel;

/** Lists the checks and groups that no longer send to it. */
function Losses({ channel }: { readonly channel: Channel }) {
  const { data } = useQuery(subscriberNamesQuery(channel));
  const { data: settings } = useQuery(alertSettingsQuery);
  const isInStage = settings?.data.escalationStages.some(({ alertChannelIds }) =>
    alertChannelIds.includes(channel.id),
  );
  const more = channel.subscriptions.length - maxNames;
  if (channel.subscriptions.length === 0) return <p>{own.deleteNothing}</p>;
  return (
    <>
      <p>{own.deleteLoses}</p>
      {data === undefined ? (
        <Skeleton rows={2} />
      ) : (
        <ul>
          {data.map(
            (name, index) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be the same
              name !== null && <li key={index}>{name}</li>,
          )}
          {more > 0 && <li>{own.andMore(more)}</li>}
        </ul>
      )}
      {isInStage && <p>{own.deleteStages}</p>}
    </>
  );
}

interface DeleteChannelDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
  readonly onDeleted?: () => Promise<void>;
}

export function DeleteChannelDialog({ channel, onClose, onDeleted }: DeleteChannelDialogProps) {
  const remove = useDeletion({
    of: ["one", "names", "subscribers"].map((part) => ["alert-channels", part, channel.id]),
    send: () =>
      send(api.DELETE("/v1/alert-channels/{id}", { params: { path: { id: channel.id } } })),
    leave: () => {
      onClose();
      showNotice({ text: own.deleted });
      return onDeleted?.();
    },
    renew: [["alert-channels"], ["alert-settings"]],
  });
  return (
    <ConfirmDialog
      isOpen
      title={own.deleteTitle(describeChannel(channel))}
      action={own.delete}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <Losses channel={channel} />
      <p>{own.deletePending}</p>
      {remove.error && <ErrorPanel error={remove.error} />}
    </ConfirmDialog>
  );
}
