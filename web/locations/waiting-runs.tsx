import { useQuery } from "@tanstack/react-query";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import styles from "./locations.module.css";
import { waitingQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.waiting;
const height = 48;

function Bars({ sizes, most }: { readonly sizes: readonly number[]; readonly most: number }) {
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${sizes.length} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={own.chart}
    >
      {sizes.map((size, slot) =>
        size === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place in time.
            key={slot}
            x={slot}
            width={1}
            y={height - (size / most) * height}
            height={(size / most) * height}
          />
        ),
      )}
    </svg>
  );
}

/** Shows how many runs were queued for a probe of the location. */
export function WaitingRuns({ locationId }: { readonly locationId: string }) {
  const { data, error, refetch } = useQuery(waitingQuery(locationId));
  const most = Math.max(0, ...(data?.queueSize ?? []));
  const oldest = Math.max(0, ...(data?.oldestScheduledCheckRun ?? []));
  return (
    <Stack as="section" className={styles.part} aria-labelledby="waiting">
      <h2 id="waiting">{own.title}</h2>
      {error && data === undefined && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton rows={1} />}
      {data !== undefined && most === 0 && <p className={styles.faint}>{own.none}</p>}
      {data !== undefined && most > 0 && (
        <>
          <p>
            {own.most(most)}, {own.oldest(oldest)}.
          </p>
          <Bars sizes={data.queueSize} most={most} />
        </>
      )}
    </Stack>
  );
}
