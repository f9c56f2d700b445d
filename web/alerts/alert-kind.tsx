import { Row } from "../parts/layout.tsx";
import { type ShownState, StateMark } from "../parts/state-mark.tsx";
import styles from "./alerts.module.css";
import { words } from "./words.ts";

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

/** The type of an alert, with the icon of the resulting state. */
export function AlertKind({ type }: { readonly type: string }) {
  return (
    <Row as="span" inline className={styles.alertKind}>
      <span aria-hidden="true">
        <StateMark state={states[type] ?? "unknown"} />
      </span>
      {formatAlertType(type)}
    </Row>
  );
}
