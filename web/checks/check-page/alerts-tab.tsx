import { Button, Modal } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { nameChannelKind as nameKind } from "../../alerts/index.ts";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { LinkButton } from "../../parts/buttons.tsx";
import { CheckPicker, useChosenChecks } from "../../parts/check-picker.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { checkStatusQuery } from "../../parts/queries.ts";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import dependsOnStyles from "./depends-on.module.css";
import styles from "./lists.module.css";
import { type Alert, alertsQuery, type Message, messagesQuery, parentsQuery } from "./queries.ts";
import { alertWords, formatReason, words } from "./words.ts";

const dependsOnWords = words.dependsOn;

interface DialogProps {
  readonly checkId: string;
  readonly parentIds: readonly string[];
  readonly onClose: () => void;
}

function DependsOnDialog({ checkId, parentIds, onClose }: DialogProps) {
  const client = useQueryClient();
  const [ids, setIds] = useState(parentIds);
  const chosen = useChosenChecks(ids);
  const saving = useMutation({
    mutationFn: () =>
      send(
        api.PUT("/v1/checks/{id}/parents", {
          params: { path: { id: checkId } },
          body: { parentIds: [...ids] },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: dependsOnWords.saved });
      await renewQueries(client, ["checks", checkId, "parents"]);
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={dependsOnWords.title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <p>{dependsOnWords.text}</p>
        <CheckPicker
          label={dependsOnWords.chosen}
          chosen={chosen}
          exceptId={checkId}
          formatRemoveLabel={dependsOnWords.removeOne}
          onChange={(checks) => setIds(checks.map(({ id }) => id))}
        />
        {saving.error && <ErrorPanel error={saving.error} />}
        <div>
          <Button loading={saving.isPending} onClick={() => saving.mutate()}>
            {dependsOnWords.save}
          </Button>
        </div>
      </Stack>
    </Modal>
  );
}

/** Lists the parents of a check. While a parent fails, the alerts of the check are held. */
function DependsOn({ checkId }: { readonly checkId: string }) {
  const mayWrite = useMay("write");
  const { data } = useQuery(parentsQuery(checkId));
  const [isOpen, setOpen] = useState(false);
  const parentIds = data?.parentIds ?? [];
  const parents = useChosenChecks(parentIds);
  if (data === undefined || (parentIds.length === 0 && !mayWrite)) return null;
  return (
    <Row as="p" gap={3} className={dependsOnStyles.line}>
      <span>{parentIds.length === 0 ? dependsOnWords.none : dependsOnWords.some}</span>
      {parents.map(({ id, name }) => (
        <Link key={id} to="/checks/$checkId" params={{ checkId: id }}>
          {name ?? id}
        </Link>
      ))}
      {mayWrite && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {dependsOnWords.change}
        </Button>
      )}
      {isOpen && (
        <DependsOnDialog checkId={checkId} parentIds={parentIds} onClose={() => setOpen(false)} />
      )}
    </Row>
  );
}

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

const statusWords = {
  SENT: labels.delivered,
  PENDING: labels.waiting,
  DEAD: labels.dead,
  CANCELLED: labels.cancelled,
} as const;

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
    <Row as="li" gap={3} tight className={textStyles.small}>
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

/** Shows the dependencies of a check, its alerts, and the delivery status of each notification. */
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
  const { data: status } = useQuery(checkStatusQuery(checkId));
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
