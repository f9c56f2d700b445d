import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { EmptyState } from "../parts/empty-state.tsx";
import { ScreenBody, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { PageHeader } from "../parts/page-header.tsx";
import { decideHealth } from "./health.ts";
import { LocationRow } from "./location-row.tsx";
import styles from "./locations.module.css";
import { PrivateLocations } from "./private-locations-list.tsx";
import { checkCountsQuery, liveLocationsQuery, type Place } from "./queries.ts";
import { words } from "./words.ts";

function PublicRow({ place }: { readonly place: Place }) {
  const { region, name, probes } = place;
  const newest = probes
    .map(({ lastSeenAt }) => lastSeenAt)
    .sort()
    .at(-1);
  return (
    <LocationRow
      place={region}
      name={name}
      health={decideHealth(place)}
      lastSeen={newest ?? null}
    />
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
        <Stack as="section" className={styles.part} aria-labelledby="in-use">
          <h2 id="in-use">{words.inUse}</h2>
          <ul className={listStyles.list}>
            {used.map((place) => (
              <PublicRow key={place.region} place={place} />
            ))}
          </ul>
        </Stack>
      )}
      {others.length > 0 && (
        <Stack as="details" className={styles.part}>
          <summary>{words.others(others.length)}</summary>
          <p className={styles.faint}>{words.othersText}</p>
          <ul className={styles.names}>
            {others.map(({ region, name }) => (
              <li key={region}>
                {name} <span className={styles.faint}>{region}</span>
              </li>
            ))}
          </ul>
        </Stack>
      )}
    </>
  );
}

function LocationsScreen() {
  const { data } = useSuspenseQuery(liveLocationsQuery);
  return (
    <Stack gap={0}>
      <PageHeader title={words.title} />
      <ScreenBody>
        <Places places={data} />
        <PrivateLocations />
      </ScreenBody>
    </Stack>
  );
}

export const route = createLazyRoute("/signed-in/locations")({ component: LocationsScreen });
