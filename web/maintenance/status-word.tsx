import { Row } from "../parts/layout.tsx";
import styles from "./maintenance.module.css";
import type { Status } from "./wire.ts";
import { words } from "./words.ts";

/** A status as icon and text: ring, filled circle, tick or cross. */
export function StatusWord({ status }: { readonly status: Status }) {
  return (
    <Row as="span" inline gap={1} align="baseline" className={styles.status} data-status={status}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {status === "SCHEDULED" && (
          <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
        {(status === "IN_PROGRESS" || status === "VERIFYING") && (
          <circle cx="8" cy="8" r="6.5" fill="currentColor" />
        )}
        {status === "COMPLETED" && (
          <path d="M3 8.5l3.5 3.5L13 4.5" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
        {status === "CANCELLED" && (
          <path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" strokeWidth="2" />
        )}
      </svg>
      {words.statuses[status]}
    </Row>
  );
}
