import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { Row } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { AlertKind } from "./alert-kind.tsx";
import styles from "./alerts.module.css";
import { words } from "./words.ts";

const own = words.list;
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

/** An alert in one line, linked to its details. */
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
