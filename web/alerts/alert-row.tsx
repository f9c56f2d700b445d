import { Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { DateTime } from "../parts/time.tsx";
import { AlertKind } from "./alert-kind.tsx";
import styles from "./alerts.module.css";
import { words } from "./words.ts";

const own = words.list;
type Alert = Schemas["Alert"];

function Messages({ alert }: { readonly alert: Alert }) {
  if (alert.heldAlertType !== null) return <span className={styles.muted}>{own.held}</span>;
  const { sent, pending, dead } = alert.messages;
  if (sent + pending + dead === 0) return <span className={styles.muted}>{own.toldNobody}</span>;
  return (
    <span className={styles.messages}>
      {sent > 0 && <span>{own.told(sent)}</span>}
      {pending > 0 && <span className={styles.muted}>{own.waiting(pending)}</span>}
      {dead > 0 && <span className={styles.bad}>{own.failed(dead)}</span>}
    </span>
  );
}

/** An alert in one line, linked to its details. */
export function AlertRow({ alert }: { readonly alert: Alert }) {
  return (
    <li>
      <Link to="/alerts/$alertId" params={{ alertId: alert.id }} className={styles.summary}>
        <span className={styles.muted}>
          <DateTime at={alert.at} />
        </span>
        <AlertKind type={alert.heldAlertType ?? alert.alertType} />
        <span className={styles.name}>
          <bdi>{alert.name ?? own.deleted}</bdi>
          {alert.isReminder && <span className={styles.muted}> {own.reminder}</span>}
        </span>
        <Messages alert={alert} />
      </Link>
    </li>
  );
}
