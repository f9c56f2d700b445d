import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { TabBar } from "../parts/blocks.tsx";
import { Row, ScreenBody } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import type { Severity } from "./search.ts";
import { words } from "./words.ts";

/** Returns the state of a service that is affected by an open incident of this severity. */
function stateOf(severity: Severity): "failing" | "degraded" {
  return severity === "CRITICAL" || severity === "MAJOR" ? "failing" : "degraded";
}

interface SeverityMarkProps {
  readonly severity: Severity;
  readonly isOver?: boolean;
}

/** Shows a severity by colour, shape and text. A resolved incident has the passing icon. */
export function SeverityMark({ severity, isOver = false }: SeverityMarkProps) {
  const state = isOver ? "passing" : stateOf(severity);
  return (
    <Row as="span" inline className={textStyles.nowrap} data-state={state}>
      <Row as="span" inline gap={0} aria-hidden="true">
        <StateMark state={state} />
      </Row>
      {words.severities[severity]}
    </Row>
  );
}

interface IncidentsFrameProps {
  readonly tabTitle?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const current = { "aria-current": "page" } as const;

/** Shows the title and tabs above the content of an incidents screen. */
export function IncidentsFrame({ tabTitle, actions, children }: IncidentsFrameProps) {
  return (
    <>
      <PageHeader title={words.title} tabTitle={tabTitle} actions={actions}>
        <TabBar aria-label={words.tabs}>
          <Link
            to="/incidents"
            activeProps={current}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {words.list}
          </Link>
          <Link to="/incidents/templates" activeProps={current}>
            {words.templates}
          </Link>
          <Link
            to="/incidents/statistics"
            activeProps={current}
            activeOptions={{ includeSearch: false }}
          >
            {words.statistics}
          </Link>
        </TabBar>
      </PageHeader>
      <ScreenBody>{children}</ScreenBody>
    </>
  );
}
