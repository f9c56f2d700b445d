import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageHeader } from "../parts/page-header.tsx";
import styles from "./incidents.module.css";
import { words } from "./words.ts";

interface IncidentsFrameProps {
  readonly tabTitle?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const current = { "aria-current": "page" } as const;

/** Title and tabs of the incidents screens. */
export function IncidentsFrame({ tabTitle, actions, children }: IncidentsFrameProps) {
  return (
    <>
      <PageHeader title={words.title} tabTitle={tabTitle} actions={actions}>
        <nav className={styles.tabs} aria-label={words.tabs}>
          <Link
            to="/incidents"
            className={styles.tab}
            activeProps={current}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {words.list}
          </Link>
          <Link to="/incidents/templates" className={styles.tab} activeProps={current}>
            {words.templates}
          </Link>
          <Link
            to="/incidents/statistics"
            className={styles.tab}
            activeProps={current}
            activeOptions={{ includeSearch: false }}
          >
            {words.statistics}
          </Link>
        </nav>
      </PageHeader>
      <div className={styles.body}>{children}</div>
    </>
  );
}
