import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageHeader } from "../parts/page-header.tsx";
import styles from "./alerts.module.css";
import { words } from "./words.ts";

interface AlertsFrameProps {
  readonly tabTitle?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Title and tabs of the alerts screens. */
export function AlertsFrame({ tabTitle, actions, children }: AlertsFrameProps) {
  return (
    <>
      <PageHeader title={words.title} tabTitle={tabTitle} actions={actions}>
        <nav className={styles.tabs} aria-label={words.tabs}>
          <Link
            to="/alerts"
            className={styles.tab}
            activeProps={{ "aria-current": "page" }}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {words.fired}
          </Link>
          <Link
            to="/alerts/channels"
            className={styles.tab}
            activeProps={{ "aria-current": "page" }}
          >
            {words.channels}
          </Link>
          <Link
            to="/alerts/maintenance"
            className={styles.tab}
            activeProps={{ "aria-current": "page" }}
            activeOptions={{ includeSearch: false }}
          >
            {words.maintenance}
          </Link>
          <Link to="/settings/alerts" className={styles.tab}>
            {words.rules}
          </Link>
        </nav>
      </PageHeader>
      <div className={styles.body}>{children}</div>
    </>
  );
}
