import { queryOptions, useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatCount } from "../parts/figures.ts";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import styles from "./now-screen.module.css";
import { words } from "./words.ts";

const statusesQuery = queryOptions({
  queryKey: ["checks", "statuses"],
  queryFn: () => send(api.GET("/v1/check-statuses")),
  refetchInterval: 10_000,
});

function findState({ hasFailures, isDegraded }: { hasFailures: boolean; isDegraded: boolean }) {
  if (hasFailures) return "failing";
  return isDegraded ? "degraded" : "passing";
}

function NowScreen() {
  const { data, error, refetch } = useQuery(statusesQuery);
  if (error) return <ErrorPanel error={error} title={words.notLoaded} onRetry={refetch} />;
  return (
    <>
      <PageHeader title={words.title} />
      <div className={styles.counts}>
        {data === undefined ? (
          <Skeleton rows={1} />
        ) : (
          (["failing", "degraded", "passing"] as const).map((state) => (
            <span className={styles.count} key={state}>
              {formatCount(data.filter((status) => findState(status) === state).length)}
              <StateMark state={state} hasWord />
            </span>
          ))
        )}
      </div>
    </>
  );
}

export const route = createLazyRoute("/signed-in/")({ component: NowScreen });
