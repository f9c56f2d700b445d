import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { nameChannelKind as nameKind } from "../../alerts/index.ts";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { LinkButton } from "../../parts/buttons.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import { DependsOn } from "./depends-on.tsx";
import styles from "./lists.module.css";
import { type Alert, alertsQuery, type Message, messagesQuery, statusQuery } from "./queries.ts";
import { alertWords, formatReason, words } from "./words.ts";

interface AlertsTabProps {
  readonly checkId: string;
  readonly onOpenRun: (resultId: string) => void;
}

const { alerts: labels } = words;

const formatError = (error: Error) => showNotice({ text: error.message, tone: "bad" });

function Acknowledge({ checkId }: { readonly checkId: string }) {
  const client = useQueryClient();
  const acknowledge = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/check-alerts/{checkId}/acknowledge", { params: { path: { checkId } } })),
    onSuccess: () => showNotice({ text: labels.acknowledged }),
    onError: formatError,
    onSettled: () => renewQueries(client, ["checks", checkId]),
  });
  return (
    <Button variant="default" loading={acknowledge.isPending} onClick={() => acknowledge.mutate()}>
      {labels.acknowledge}
    </Button>
  );
}

const statusWords = { SENT: labels.delivered, PENDING: labels.waiting, DEAD: labels.dead } as const;

function MessageLine({ message }: { readonly message: Message }) {
  const mayWrite = useMay("write");
  const client = useQueryClient();
  const { id, status, type, recipient, attempts, statusCode, reason, sentAt, decidedAt } = message;
  const replay = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/alert-notifications/{id}/replay", { params: { path: { id } } })),
    onSuccess: () => showNotice({ text: labels.replayed }),
    onError: formatError,
    onSettled: () => renewQueries(client, ["checks", message.checkId]),
  });
  return (
    <Row as="li" gap={3} tight className={styles.message}>
      <strong className={status === "DEAD" ? (textStyles.bad ?? "") : ""}>
        {statusWords[status]}
      </strong>
      <span>
        {nameKind(type)} {recipient}
      </span>
      <DateTime at={sentAt ?? decidedAt} />
      <span className={textStyles.muted}>
        {labels.attempts(attempts)}
        {statusCode !== null && `, ${statusCode}`}
      </span>
      {reason !== null && <span className={textStyles.bad}>{reason}</span>}
      {mayWrite && status === "DEAD" && (
        <LinkButton disabled={replay.isPending} onClick={() => replay.mutate()}>
          {labels.replay}
        </LinkButton>
      )}
    </Row>
  );
}

interface EntryProps extends Pick<AlertsTabProps, "onOpenRun"> {
  readonly alert: Alert;
  readonly messages: readonly Message[] | undefined;
}

function Entry({ alert, messages, onOpenRun }: EntryProps) {
  const { alertType, heldAlertType, reason, at, checkResultId, isReminder } = alert;
  const isHeld = heldAlertType !== null;
  const kind = heldAlertType ?? alertType;
  const own = messages?.filter(({ alertId }) => alertId === alert.id) ?? [];
  return (
    <Stack as="li" gap={1} align="start" className={styles.entry}>
      <Row gap={4} tight className={styles.entryHead}>
        <AddressLink href={`/alerts/${alert.id}`}>
          <strong>{alertWords[kind] ?? kind}</strong>
        </AddressLink>
        <DateTime at={at} />
        <span className={textStyles.muted}>
          {alert.explanation ?? `${isHeld ? labels.held : labels.sent}: ${formatReason(reason)}`}
          {isReminder && ` (${labels.reminder})`}
        </span>
      </Row>
      {!isHeld && messages !== undefined && (
        <Stack as="ul" gap={1} className={styles.messages} aria-label={labels.messages}>
          {own.length === 0 ? (
            <li className={textStyles.muted}>{labels.noMessages}</li>
          ) : (
            own.map((message) => <MessageLine key={message.id} message={message} />)
          )}
        </Stack>
      )}
      {checkResultId !== null && (
        <LinkButton onClick={() => onOpenRun(checkResultId)}>{words.history.run}</LinkButton>
      )}
    </Stack>
  );
}

/** Dependencies, alerts, and the delivery status of each notification. */
export function AlertsTab(props: AlertsTabProps) {
  return (
    <>
      <DependsOn checkId={props.checkId} />
      <AlertList {...props} />
    </>
  );
}

function AlertList({ checkId, onOpenRun }: AlertsTabProps) {
  const alerts = useInfiniteQuery(alertsQuery(checkId));
  const { data: messages } = useQuery(messagesQuery(checkId));
  const { data: status } = useQuery(statusQuery(checkId));
  const mayRun = useMay("run");
  if (alerts.data === undefined) {
    if (alerts.error === null) return <Skeleton rows={8} />;
    const retry = () => void alerts.refetch();
    return <ErrorPanel error={alerts.error} title={labels.notLoaded} onRetry={retry} />;
  }
  const listed = alerts.data.pages.flatMap((page) => page.alerts);
  if (listed.length === 0) {
    return (
      <EmptyState title={labels.none}>
        <p>{labels.noneHint}</p>
      </EmptyState>
    );
  }
  const isOpen = status?.status === "failing" || status?.status === "degraded";
  const newest = listed.find(({ heldAlertType }) => heldAlertType === null);
  const mayAcknowledge = isOpen && mayRun && newest !== undefined;
  return (
    <>
      {mayAcknowledge && (
        <Row gap={4}>
          <Acknowledge checkId={checkId} />
        </Row>
      )}
      <ol className={listStyles.list}>
        {listed.map((alert) => (
          <Entry key={alert.id} alert={alert} messages={messages} onOpenRun={onOpenRun} />
        ))}
      </ol>
      {alerts.hasNextPage && (
        <Button
          variant="default"
          className={styles.more ?? ""}
          loading={alerts.isFetchingNextPage}
          onClick={() => void alerts.fetchNextPage()}
        >
          {labels.older}
        </Button>
      )}
    </>
  );
}
