import { Button } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { Row, ScreenBody } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import listStyles from "../parts/list.module.css";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import { PageState, PublicLink } from "./page-frame.tsx";
import type { StatusPage, StatusPageOverview } from "./queries.ts";
import { overviewsQuery, pagesQuery } from "./queries.ts";
import styles from "./status-pages.module.css";
import { words } from "./words.ts";

function AddPage() {
  return (
    <Button component={AddressLink} href="/status-pages/new" leftSection={<PlusIcon size={16} />}>
      {words.add}
    </Button>
  );
}

interface PageRowProps {
  readonly page: StatusPage;
  readonly overview: StatusPageOverview | undefined;
}

function PageRow({ page, overview }: PageRowProps) {
  return (
    <li className={`${listStyles.row} ${styles.row}`}>
      <Row
        as="span"
        gap={3}
        tight
        align="baseline"
        className={`${styles.name} ${textStyles.strong}`}
      >
        <Link to="/status-pages/$statusPageId/editor" params={{ statusPageId: page.id }}>
          <bdi>{page.name}</bdi>
        </Link>
        {page.isPrivate && (
          <span className={`${textStyles.muted} ${textStyles.regular}`}>{words.private}</span>
        )}
      </Row>
      <span className={styles.cell}>
        <PageState overview={overview} />
      </span>
      <span className={styles.cell}>{overview && <PublicLink address={overview.address} />}</span>
      <span className={styles.count}>{overview && words.services(overview.serviceCount)}</span>
      <span className={styles.count}>
        {overview && words.subscribers(overview.subscriberCount)}
      </span>
    </li>
  );
}

function StatusPagesScreen() {
  const mayWrite = useMay("write");
  const { data: pages } = useSuspenseQuery(pagesQuery);
  const { data: overviews } = useQuery(overviewsQuery);
  const hasPages = pages.length > 0;
  return (
    <>
      <PageHeader title={words.title} actions={mayWrite && hasPages && <AddPage />} />
      <ScreenBody>
        {!hasPages && (
          <EmptyState title={words.empty}>
            <p>{words.emptyHint}</p>
            {mayWrite && <AddPage />}
          </EmptyState>
        )}
        {hasPages && (
          <ul className={listStyles.list}>
            {pages.map((page) => (
              <PageRow key={page.id} page={page} overview={overviews?.get(page.id)} />
            ))}
          </ul>
        )}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/status-pages")({ component: StatusPagesScreen });
