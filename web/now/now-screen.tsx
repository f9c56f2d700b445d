import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import {
  type By,
  decideBy,
  GroupBySelect,
  ProblemGroups,
  problemGroupsQuery,
} from "../alerts/index.ts";
import { useMay } from "../api/session.ts";
import { FirstStart, useFirstSteps } from "../first-start/index.ts";
import { OnCallLine } from "../on-call/index.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatCount } from "../parts/figures.ts";
import layoutStyles from "../parts/layout.module.css";
import { Row } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { useIsPhone } from "../parts/use-is-phone.ts";
import styles from "./now-screen.module.css";
import { ProblemRow } from "./problem-row.tsx";
import type { Overview } from "./queries.ts";
import { type NowSearch, overviewQuery, type Range, ranges, sharedHopsQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Recent activity is loaded after the problems, because it is shown below them. */
const RecentActivity = lazy(() =>
  import("./recent-activity.tsx").then((module) => ({ default: module.RecentActivity })),
);
const GettingWorse = lazy(() =>
  import("./recent-activity.tsx").then((module) => ({ default: module.GettingWorse })),
);

/** Number of problems above which a phone shows the list in compact form. */
const maxWhole = 3;

const counted = ["failing", "degraded", "passing", "unknown"] as const;

function Counts({ overview }: { readonly overview: Overview }) {
  const { counts, incidents, maintenance } = overview;
  return (
    <Row gap={6} justify="between" className={styles.summary}>
      <Row as="ul" gap={6} tight className={styles.counts} aria-label={words.states}>
        {counted.map((state) => {
          return (
            <li key={state} data-none={counts[state] === 0 || undefined}>
              <AddressLink
                href={`/checks?state=${state}`}
                className={`${textStyles.plain} ${styles.count}`}
              >
                <span className={styles.number}>{formatCount(counts[state])}</span>
                <StateMark state={state} hasWord />
              </AddressLink>
            </li>
          );
        })}
      </Row>
      {(incidents.length > 0 || maintenance.length > 0) && (
        <Row as="p" nowrap gap={4} className={textStyles.muted}>
          {incidents.length > 0 && (
            <AddressLink
              href="/incidents?state=ongoing"
              title={incidents.map(({ name }) => name).join(", ")}
            >
              {words.incidents(incidents.length)}
            </AddressLink>
          )}
          {maintenance.length > 0 && (
            <Link
              to="/alerts/maintenance"
              search={{ view: "list" }}
              title={maintenance.map(({ name }) => name).join(", ")}
            >
              {words.maintenance(maintenance.length)}
            </Link>
          )}
        </Row>
      )}
    </Row>
  );
}

function Calm({ counts }: { readonly counts: Overview["counts"] }) {
  const isWhole = counts.unknown === 0;
  return (
    <Row nowrap gap={4} className={styles.calm}>
      <StateMark state={isWhole ? "passing" : "unknown"} size={32} />
      <div>
        <h2>{isWhole ? words.allPassing : words.nothingFails}</h2>
        <p>
          {counts.passing > 0 && words.allPassingText(formatCount(counts.passing))}{" "}
          {!isWhole && words.noData(formatCount(counts.unknown))}
        </p>
      </div>
    </Row>
  );
}

function NothingWatched({ hasSteps }: { readonly hasSteps: boolean }) {
  const mayWrite = useMay("write");
  const address: string = "/checks/new";
  return (
    <EmptyState title={words.emptyTitle}>
      <p>{words.emptyText}</p>
      {mayWrite && !hasSteps && (
        <Button component={Link} to={address}>
          {words.newCheck}
        </Button>
      )}
    </EmptyState>
  );
}

/** On a phone, shows links to the sections that follow a long list. */
function JumpLinks({ range }: { readonly range: Range }) {
  const jump = (id: string) => () => document.getElementById(id)?.scrollIntoView();
  return (
    <nav className={styles.jump} aria-label={words.jump}>
      <button type="button" onClick={jump("lately")}>
        {words.since[range]}
      </button>
      <button type="button" onClick={jump("worse")}>
        {words.worse}
      </button>
    </nav>
  );
}

function EachCheck({ overview: { checks, counts } }: { readonly overview: Overview }) {
  const isCompact = useIsPhone() && checks.length > maxWhole;
  const left = counts.failing + counts.degraded - checks.length;
  return (
    <>
      <ul className={styles.wrong}>
        {checks.map((check) => (
          <ProblemRow key={check.checkId} check={check} isCompact={isCompact} />
        ))}
      </ul>
      {left > 0 && (
        <p className={styles.left}>
          <AddressLink href="/checks?sort=state">{words.moreWrong(left)}</AddressLink>
        </p>
      )}
    </>
  );
}

function Grouped({ by }: { readonly by: By }) {
  const { data, error, refetch } = useQuery(problemGroupsQuery(by));
  if (error) return <ErrorPanel error={error} title={words.notLoaded} onRetry={refetch} />;
  return (
    <div className={styles.grouped}>
      {data === undefined ? <Skeleton rows={3} /> : <ProblemGroups groups={data} by={by} />}
    </div>
  );
}

/** Lists the network hops that explain the failures of several checks, with these checks. */
export function SharedHops() {
  const { data } = useQuery(sharedHopsQuery);
  if (data === undefined || data.hops.length === 0) return null;
  return (
    <section className={`${styles.overload} ${styles.shared}`} aria-label={words.sharedHops}>
      {data.hops.map(({ address, name, summary, checks }) => (
        <details key={address}>
          <summary>
            {summary}
            {name !== null && <bdi className={textStyles.muted}> {name}</bdi>}
          </summary>
          <Row as="ul" gap={3} tight>
            {checks.map((check) => (
              <li key={check.checkId}>
                <AddressLink href={`/checks/${check.checkId}`}>
                  <bdi>{check.name}</bdi>
                </AddressLink>
              </li>
            ))}
          </Row>
        </details>
      ))}
    </section>
  );
}

function Wrong({ overview, search }: { readonly overview: Overview; readonly search: NowSearch }) {
  const navigate = useNavigate();
  const { checks, counts } = overview;
  const count = counts.failing + counts.degraded;
  const by = decideBy(search.by, count);
  if (checks.length === 0) return <Calm counts={counts} />;
  return (
    <section aria-labelledby="wrong">
      <Row nowrap gap={0} justify="end" className={styles.wrongHead}>
        <h2 id="wrong" className="unseen">
          {words.wrong}
        </h2>
        {count > 1 && (
          <GroupBySelect
            by={by}
            onChange={(next) =>
              void navigate({ to: "/", search: { ...search, by: next }, replace: true })
            }
          />
        )}
      </Row>
      {counts.failing > 1 && <SharedHops />}
      {by === "none" ? <EachCheck overview={overview} /> : <Grouped by={by} />}
    </section>
  );
}

function RangeSelect({ range, search }: { readonly range: Range; readonly search: NowSearch }) {
  const navigate = useNavigate();
  return (
    <NativeSelect
      aria-label={words.range}
      value={range}
      data={Object.keys(ranges).map((value) => ({ value, label: words.ranges[value as Range] }))}
      onChange={({ currentTarget }) => {
        const next = currentTarget.value as Range;
        const { range: _range, ...rest } = search;
        const chosen = next === "24h" ? rest : { ...rest, range: next };
        void navigate({ to: "/", search: chosen, replace: true });
      }}
    />
  );
}

function Overload({ overload }: Pick<Overview, "overload">) {
  if (overload === null) return null;
  return (
    <Row
      as="aside"
      nowrap
      gap={3}
      align="start"
      className={styles.overload}
      aria-label={words.overload}
    >
      <StateMark state="degraded" size={20} />
      <div>
        <strong>{words.overloaded(overload.skippedPercent)}</strong>
        <p>
          {overload.advice} <a href="/docs/operate#overload">{words.overloadDocs}</a>
        </p>
      </div>
    </Row>
  );
}

function NowScreen() {
  const search = useSearch({ from: "/signed-in/" });
  const { range = "24h" } = search;
  const { data, error, refetch } = useQuery(overviewQuery);
  const { isKnown, progress } = useFirstSteps();
  const total = data && Object.values(data.counts).reduce((sum, count) => sum + count, 0);
  const isCalm = data !== undefined && data.checks.length === 0;
  const steps = progress && (
    <Suspense fallback={null}>
      <FirstStart progress={progress} />
    </Suspense>
  );
  const isWaiting = (data === undefined && !error) || (data !== undefined && !isKnown);
  return (
    <>
      <PageHeader title={words.title} actions={<RangeSelect range={range} search={search} />} />
      {isWaiting && (
        <div className={layoutStyles.inset}>
          <Skeleton rows={6} />
        </div>
      )}
      {data === undefined && error && (
        <ErrorPanel error={error} title={words.notLoaded} onRetry={refetch} />
      )}
      {/* First steps come below any problems. */}
      {isCalm && isKnown && steps}
      {data && isKnown && total === 0 && <NothingWatched hasSteps={progress !== null} />}
      {data && isKnown && total !== 0 && (
        <>
          <Overload overload={data.overload} />
          <Counts overview={data} />
          <OnCallLine />
          {data.checks.length > maxWhole && <JumpLinks range={range} />}
          <Wrong overview={data} search={search} />
          <div className={styles.lately}>
            <Suspense fallback={<Skeleton rows={6} />}>
              <RecentActivity range={range} />
              <GettingWorse />
            </Suspense>
          </div>
        </>
      )}
      {data && isKnown && !isCalm && steps}
    </>
  );
}

export const route = createLazyRoute("/signed-in/")({ component: NowScreen });
