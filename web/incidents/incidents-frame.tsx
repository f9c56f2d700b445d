import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { TabBar } from "../parts/blocks.tsx";
import { ScreenBody } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
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
