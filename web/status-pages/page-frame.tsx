import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, Outlet, useParams } from "@tanstack/react-router";
import { useLoaded } from "../api/use-loaded.ts";
import { TabBar } from "../parts/blocks.tsx";
import { GonePanel } from "../parts/error-panel.tsx";
import { Row } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { overviewsQuery, pageQuery, type StatusPageOverview } from "./queries.ts";
import styles from "./status-pages.module.css";
import { words } from "./words.ts";

/** Shows the overall state of a status page, exactly as the public page shows it. */
export function PageState({ overview }: { readonly overview: StatusPageOverview | undefined }) {
  if (overview === undefined) return null;
  const { state, sentence, openIncidentCount } = overview;
  if (state === null) return <span className={textStyles.muted}>{words.noServices}</span>;
  return (
    <Row as="span" tight>
      <StateMark state={state} />
      <span>{sentence}</span>
      {openIncidentCount > 0 && (
        <span className={textStyles.muted}>{words.openIncidents(openIncidentCount)}</span>
      )}
    </Row>
  );
}

/**
 * Shows the public address of a page. As a precaution against links such as `javascript:`, the
 * address becomes a link only if it starts with `http://` or `https://`.
 */
export function PublicLink({ address }: { readonly address: string }) {
  const shown = address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  if (!/^https?:\/\//.test(address)) return <span>{shown}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className={textStyles.wrap}>
      {shown}
      <span className="unseen"> (opens in a new tab)</span>
    </a>
  );
}

/** Tabs of a status page in display order. Each tab is a route. */
const tabs = [
  { to: "/status-pages/$statusPageId/editor", label: words.tab.editor },
  { to: "/status-pages/$statusPageId/access", label: words.tab.access },
  { to: "/status-pages/$statusPageId/domain", label: words.tab.domain },
  { to: "/status-pages/$statusPageId/subscribers", label: words.tab.subscribers },
  { to: "/status-pages/$statusPageId/snapshots", label: words.tab.snapshots },
] as const;

const from = "/signed-in/status-pages/$statusPageId" as const;

function Tabs({ statusPageId }: { readonly statusPageId: string }) {
  return (
    <TabBar aria-label={words.tabs}>
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} params={{ statusPageId }} activeProps={{ "aria-current": "page" }}>
          {label}
        </Link>
      ))}
    </TabBar>
  );
}

/** Shows the header and tabs of a status page. Each tab is a child route. */
function PageFrame() {
  const { statusPageId } = useParams({ from });
  const { data, error } = useLoaded(pageQuery(statusPageId));
  const { data: overviews } = useQuery(overviewsQuery);
  const overview = overviews?.get(statusPageId);
  return (
    <>
      <PageHeader
        title={<bdi>{data.data.name}</bdi>}
        actions={
          overview && (
            <Button
              component="a"
              href={overview.address}
              target="_blank"
              rel="noopener noreferrer"
              variant="default"
            >
              {words.open}
            </Button>
          )
        }
      >
        <Row as="p" gap={4} tight className={styles.facts}>
          <PageState overview={overview} />
          {overview && <PublicLink address={overview.address} />}
          {data.data.isPrivate && <span className={textStyles.muted}>{words.private}</span>}
        </Row>
        <Tabs statusPageId={statusPageId} />
      </PageHeader>
      <GonePanel error={error} />
      <Outlet />
    </>
  );
}

export const route = createLazyRoute(from)({ component: PageFrame });
