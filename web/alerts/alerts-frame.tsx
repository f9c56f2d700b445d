import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { TabBar } from "../parts/blocks.tsx";
import { ScreenBody } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { words } from "./words.ts";

interface AlertsFrameProps {
  readonly tabTitle?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Shows the title and tabs above the content of an alerts screen. */
export function AlertsFrame({ tabTitle, actions, children }: AlertsFrameProps) {
  return (
    <>
      <PageHeader title={words.title} tabTitle={tabTitle} actions={actions}>
        <TabBar aria-label={words.tabs}>
          <Link
            to="/alerts"
            activeProps={{ "aria-current": "page" }}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {words.fired}
          </Link>
          <Link to="/alerts/channels" activeProps={{ "aria-current": "page" }}>
            {words.channels}
          </Link>
          <Link to="/alerts/sources" activeProps={{ "aria-current": "page" }}>
            {words.sources}
          </Link>
          <Link to="/alerts/mutes" activeProps={{ "aria-current": "page" }}>
            {words.muted}
          </Link>
          <Link
            to="/alerts/maintenance"
            activeProps={{ "aria-current": "page" }}
            activeOptions={{ includeSearch: false }}
          >
            {words.maintenance}
          </Link>
          <Link to="/settings/alerts">{words.rules}</Link>
        </TabBar>
      </PageHeader>
      <ScreenBody>{children}</ScreenBody>
    </>
  );
}
