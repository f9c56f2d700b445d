import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { decideHealth } from "./health.ts";
import styles from "./locations.module.css";
import { PrivateLocations } from "./private-locations-list.tsx";
import { checkCountsQuery, type Place, placesQuery, recordsQuery } from "./queries.ts";
import { words } from "./words.ts";

function PlaceRow({ place }: { readonly place: Place }) {
  const { region, name, probes } = place;
  const { data: counts } = useQuery(checkCountsQuery);
  const { data: records } = useQuery(recordsQuery);
  const health = decideHealth(place);
  const record = records?.get(region);
  const seen = probes.map(({ lastSeenAt }) => lastSeenAt).sort();
  const newest = seen.at(-1);
  return (
    <li className={styles.row}>
      <StateMark state={health.state} />
      <span className={styles.name}>
        <Link to="/locations/$region" params={{ region }}>
          <bdi>{name}</bdi>
        </Link>{" "}
        {name !== region && <span className={styles.faint}>{region}</span>}
      </span>
      <span>{health.text}</span>
      <span className={styles.number}>
        {counts && (
          <Link to="/checks" search={{ location: [region] }}>
            {words.checks(counts.get(region) ?? 0)}
          </Link>
        )}
      </span>
      <span className={styles.number}>
        {record !== undefined && record.sharedCount > 0 && (
          <span title={words.agreesLong(record.agreeingCount, record.sharedCount)}>
            {words.agrees(record.agreeingCount, record.sharedCount)}
          </span>
        )}
      </span>
      <span className={styles.faint}>
        {newest !== undefined && (
          <>
            {words.lastSeen} <Ago at={newest} />
          </>
        )}
      </span>
    </li>
  );
}

function Places({ places }: { readonly places: readonly Place[] }) {
  const { data: counts } = useQuery(checkCountsQuery);
  const isUsed = ({ region, probes }: Place) => probes.length > 0 || counts?.has(region);
  const rank = ({ region, probes }: Place) =>
    (probes.length > 0 ? 1_000_000 : 0) + (counts?.get(region) ?? 0);
  const used = places.filter(isUsed).sort((one, other) => rank(other) - rank(one));
  const others = places.filter((place) => !isUsed(place));
  const hasProbe = places.some(({ servedBy }) => servedBy !== "nobody");
  return (
    <>
      {!hasProbe && (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
        </EmptyState>
      )}
      {used.length > 0 && (
        <section className={styles.part} aria-labelledby="in-use">
          <h2 id="in-use">{words.inUse}</h2>
          <ul className={styles.rows}>
            {used.map((place) => (
              <PlaceRow key={place.region} place={place} />
            ))}
          </ul>
        </section>
      )}
      {others.length > 0 && (
        <details className={styles.part}>
          <summary>{words.others(others.length)}</summary>
          <p className={styles.faint}>{words.othersText}</p>
          <ul className={styles.names}>
            {others.map(({ region, name }) => (
              <li key={region}>
                {name} <span className={styles.faint}>{region}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function LocationsScreen() {
  const { data, error, refetch } = useQuery(placesQuery);
  const { isPending } = useQuery(checkCountsQuery);
  return (
    <div className={styles.screen}>
      <PageHeader title={words.title} />
      <div className={styles.content}>
        {error && data === undefined && (
          <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />
        )}
        {(data === undefined || isPending) && !error && <Skeleton rows={6} />}
        {data !== undefined && !isPending && (
          <>
            <Places places={data} />
            <PrivateLocations />
          </>
        )}
      </div>
    </div>
  );
}

export const route = createLazyRoute("/signed-in/locations")({ component: LocationsScreen });
