import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, send } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { Callout } from "../parts/blocks.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatMs } from "../parts/figures.ts";
import { Row } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { describeChannel } from "./describe-channel.ts";
import {
  alertSettingsQuery,
  type Channel,
  checkCountQuery,
  maxNames,
  subscriberNamesQuery,
} from "./queries.ts";
import { allChecks, countChecks, words } from "./words.ts";

const resultWords = words.channel;

const countGroups = (count: number) => (count === 1 ? "1 group" : `${count} groups`);

/** UI text of the subscriber list. It is not in `words.ts`, which every screen loads. */
export const subscriberWords = {
  title: "Checks and groups that send here",
  auto: "New checks and groups send here automatically. Existing ones are listed below.",
  notAuto:
    "New checks send to every channel unless they select others. New groups send here only if you select this channel.",
  search: "Check or group",
  which: "Show",
  on: "Sending here",
  off: "Not sending here",
  all: "All",
  sends: (name: string) => `${name} sends here`,
  yes: "sends here",
  no: "does not send here",
  group: "group with all its checks",
  through: (group: string) => `sends through its group ${group}`,
  none: "Nothing sends here yet. Connect all checks, or select “Not sending here” to add some.",
  connectAll: (count: number) => `Send alerts of ${allChecks(count)} here`,
  connectFound: "Connect all that match",
  disconnectAll: "Disconnect all",
  disconnectFound: "Disconnect all that match",
  connected: (checks: number) =>
    checks === 0 ? "All of them already send here." : `${countChecks(checks)} connected.`,
  disconnected: (checks: number, groups: number) =>
    checks + groups === 0
      ? "None of them sends here."
      : `${countChecks(checks)}${groups === 0 ? "" : ` and ${countGroups(groups)}`} disconnected.`,
  noneFound: "No check or group matches.",
  before: "Previous",
  after: "Next",
} as const;

/** Shows whether the test message was delivered, and the response of the receiving service. */
export function TestResult({ result }: { readonly result: Schemas["AlertChannelTest"] }) {
  const isSent = result.outcome === "sent";
  return (
    <Callout tone={isSent ? "good" : "bad"} role="status">
      <p>
        <strong>{isSent ? resultWords.arrived : resultWords.notArrived}</strong> {result.reason}
      </p>
      <p>
        {result.statusCode !== null && `${resultWords.status} ${result.statusCode}, `}
        {resultWords.took} {formatMs(result.durationMs)}
      </p>
      {result.responseBody !== null && (
        <>
          <p>{resultWords.answer}:</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
          <pre className={textStyles.code} tabIndex={0}>
            {result.responseBody}
          </pre>
        </>
      )}
      {result.responseBody === null && result.statusCode !== null && <p>{resultWords.noAnswer}</p>}
    </Callout>
  );
}

const deleteWords = words.channel;

/** Lists the checks and groups that lose this channel when the channel is deleted. */
function Losses({ channel }: { readonly channel: Channel }) {
  const { data } = useQuery(subscriberNamesQuery(channel));
  const { data: settings } = useQuery(alertSettingsQuery);
  const isInStage = settings?.data.escalationStages.some(({ alertChannelIds }) =>
    alertChannelIds.includes(channel.id),
  );
  const more = channel.subscriptions.length - maxNames;
  if (channel.subscriptions.length === 0) return <p>{deleteWords.deleteNothing}</p>;
  return (
    <>
      <p>{deleteWords.deleteLoses}</p>
      {data === undefined ? (
        <Skeleton rows={2} />
      ) : (
        <ul>
          {data.map(
            (name, index) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: names are not unique
              name !== null && <li key={index}>{name}</li>,
          )}
          {more > 0 && <li>{deleteWords.andMore(more)}</li>}
        </ul>
      )}
      {isInStage && <p>{deleteWords.deleteStages}</p>}
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
      showNotice({ text: deleteWords.deleted });
      return onDeleted?.();
    },
    renew: [["alert-channels"], ["alert-settings"]],
  });
  return (
    <ConfirmDialog
      isOpen
      title={deleteWords.deleteTitle(describeChannel(channel))}
      action={deleteWords.delete}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <Losses channel={channel} />
      <p>{deleteWords.deletePending}</p>
      {remove.error && <ErrorPanel error={remove.error} />}
    </ConfirmDialog>
  );
}

const own = subscriberWords;

/**
 * Connects a channel to all checks, or disconnects it from all checks and groups. If `search` is
 * not empty, only checks and groups whose names contain this text are changed.
 */
export function sendConnectAll(channelId: number, activated: boolean, search = "") {
  return send(
    api.PUT("/v1/alert-channels/{id}/subscribers", {
      params: { path: { id: channelId } },
      body: { activated, ...(search !== "" && { search }) },
    }),
  );
}

interface ConnectAllProps {
  readonly channelId: number;
  /**
   * Text that the name of a check or group must contain. If empty, all checks and groups are
   * changed.
   */
  readonly search: string;
}

/**
 * Buttons that connect a channel to all checks that match the search, or disconnect it from all
 * matching checks and groups.
 */
export function ConnectAll({ channelId, search }: ConnectAllProps) {
  const queryClient = useQueryClient();
  const { data: count } = useQuery(checkCountQuery);
  const text = search.trim();
  const change = useMutation({
    mutationFn: (activated: boolean) => sendConnectAll(channelId, activated, text),
    onSuccess: ({ checks, groups }, activated) =>
      showNotice({ text: (activated ? own.connected : own.disconnected)(checks, groups) }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alert-channels"]),
  });
  if (count === undefined || count === 0) return null;
  return (
    <Row gap={3}>
      <Button
        variant="default"
        size="xs"
        loading={change.isPending && change.variables}
        onClick={() => change.mutate(true)}
      >
        {text === "" ? own.connectAll(count) : own.connectFound}
      </Button>
      <Button
        variant="default"
        size="xs"
        loading={change.isPending && !change.variables}
        onClick={() => change.mutate(false)}
      >
        {text === "" ? own.disconnectAll : own.disconnectFound}
      </Button>
    </Row>
  );
}
