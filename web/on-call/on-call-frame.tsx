import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { TabBar } from "../parts/blocks.tsx";
import { ScreenBody } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { words } from "./words.ts";

interface OnCallFrameProps {
  readonly tabTitle?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const current = { "aria-current": "page" } as const;

/** Shows the title and tabs above the content of an on-call screen. */
export function OnCallFrame({ tabTitle, actions, children }: OnCallFrameProps) {
  return (
    <>
      <PageHeader title={words.title} tabTitle={tabTitle} actions={actions}>
        <TabBar aria-label={words.tabs.label}>
          <Link to="/on-call" activeProps={current} activeOptions={{ exact: true }}>
            {words.tabs.schedules}
          </Link>
          <Link to="/on-call/policies" activeProps={current}>
            {words.tabs.policies}
          </Link>
          <Link to="/on-call/report" activeProps={current} activeOptions={{ includeSearch: false }}>
            {words.tabs.report}
          </Link>
          <Link to="/settings/contact-methods">{words.tabs.contacts}</Link>
        </TabBar>
      </PageHeader>
      <ScreenBody>{children}</ScreenBody>
    </>
  );
}
