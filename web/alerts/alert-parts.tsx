import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { Row } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { showNotice } from "../parts/notices.tsx";
import { type ShownState, StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import styles from "./alerts.module.css";
import { words } from "./words.ts";

const own = words.list;

interface AcknowledgeButtonProps {
  readonly checkId: string;
  readonly name: string;
  /** Whether to acknowledge is the main action of the screen. */
  readonly isPrimary?: boolean;
}

export function AcknowledgeButton({ checkId, name, isPrimary }: AcknowledgeButtonProps) {
  const queryClient = useQueryClient();
  const acknowledge = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/check-alerts/{checkId}/acknowledge", { params: { path: { checkId } } })),
    onSuccess: () => showNotice({ text: own.acknowledgedNotice }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alerts"]),
  });
  return (
    <Button
      variant={isPrimary ? "filled" : "default"}
      className={(isPrimary && styles.primary) || ""}
      loading={acknowledge.isPending}
      aria-label={`${own.acknowledge} ${name}`}
      onClick={() => acknowledge.mutate()}
    >
      {own.acknowledge}
    </Button>
  );
}

const states: Readonly<Record<string, ShownState>> = {
  ALERT_FAILURE: "failing",
  ALERT_FAILURE_REMAIN: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_FAILURE_DEGRADED: "degraded",
  ALERT_DEGRADED: "degraded",
  ALERT_DEGRADED_REMAIN: "degraded",
  ALERT_SSL: "degraded",
  ALERT_RECOVERY: "passing",
  ALERT_DEGRADED_RECOVERY: "passing",
  ALERT_NO_DATA: "unknown",
};

export function formatAlertType(type: string): string {
  const known: Readonly<Record<string, string>> = words.alertTypes;
  return known[type] ?? type;
}

/** Shows the type of an alert, with the icon of the check's new state. */
export function AlertKind({ type }: { readonly type: string }) {
  return (
    <Row as="span" inline className={styles.alertKind}>
      <Row as="span" inline gap={0} aria-hidden="true">
        <StateMark state={states[type] ?? "unknown"} />
      </Row>
      {formatAlertType(type)}
    </Row>
  );
}

type Alert = Schemas["Alert"];

function Messages({ alert }: { readonly alert: Alert }) {
  if (alert.heldAlertType !== null) return <span className={textStyles.muted}>{own.held}</span>;
  const { sent, pending, dead } = alert.messages;
  if (sent + pending + dead === 0)
    return <span className={textStyles.muted}>{own.toldNobody}</span>;
  return (
    <Row as="span" gap={3} tight>
      {sent > 0 && <span>{own.told(sent)}</span>}
      {pending > 0 && <span className={textStyles.muted}>{own.waiting(pending)}</span>}
      {dead > 0 && <span className={textStyles.bad}>{own.failed(dead)}</span>}
    </Row>
  );
}

/** Shows an alert in one line, with a link to its details. */
export function AlertRow({ alert }: { readonly alert: Alert }) {
  return (
    <li>
      <Link
        to="/alerts/$alertId"
        params={{ alertId: alert.id }}
        className={`${listStyles.row} ${styles.summary}`}
      >
        <span className={textStyles.muted}>
          <DateTime at={alert.at} />
        </span>
        <AlertKind type={alert.heldAlertType ?? alert.alertType} />
        <span className={`${textStyles.clamp} ${styles.name}`}>
          <bdi>{alert.name ?? own.deleted}</bdi>
          {alert.isReminder && <span className={textStyles.muted}> {own.reminder}</span>}
        </span>
        <Messages alert={alert} />
      </Link>
    </li>
  );
}
