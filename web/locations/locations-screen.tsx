import { Button } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import { decideHealth, decidePrivateHealth, type Health } from "./health.ts";
import { NewLocationDialog } from "./location-dialog.tsx";
import styles from "./locations.module.css";
import {
  checkCountsQuery,
  liveLocationsQuery,
  type Place,
  type PrivateLocation,
  privateLocationsQuery,
  recordsQuery,
} from "./queries.ts";
import { words } from "./words.ts";

interface LocationRowProps {
  /**
   * Identifier with which checks select the location: a region code, or the slug of a private
   * location.
   */
  readonly place: string;
  readonly name: string;
  readonly health: Health;
  /** Time of the last report of any probe; `null` if no probe has reported yet. */
  readonly lastSeen: string | null;
  /** Content shown beside the health. */
  readonly children?: ReactNode;
}

/**
 * Shows a location in the list: its health, its number of checks, and the number of checks that
 * have the same state at this location as at half or more of the other locations.
 */
function LocationRow({ place, name, health, lastSeen, children }: LocationRowProps) {
  const { data: counts } = useQuery(checkCountsQuery);
  const { data: records } = useQuery(recordsQuery);
  const record = records?.get(place);
  return (
    <li className={`${listStyles.row} ${styles.row}`}>
      <StateMark state={health.state} />
      <span className={textStyles.wrap}>
        <Link to="/locations/$region" params={{ region: place }}>
          <bdi>{name}</bdi>
        </Link>{" "}
        {name !== place && <span className={textStyles.muted}>{place}</span>}
      </span>
      <span>
        {health.text}
        {children}
      </span>
      <span className={`${styles.number} ${textStyles.end}`}>
        {counts && (
          <Link to="/checks" search={{ location: [place] }}>
            {words.checks(counts.get(place) ?? 0)}
          </Link>
        )}
      </span>
      <span className={`${styles.number} ${textStyles.end}`}>
        {record !== undefined && record.sharedCount > 0 && (
          <span title={words.agreesLong(record.agreeingCount, record.sharedCount)}>
            {words.agrees(record.agreeingCount, record.sharedCount)}
          </span>
        )}
      </span>
      <span className={textStyles.muted}>
        {lastSeen !== null && (
          <>
            {words.lastSeen} <Ago at={lastSeen} />
          </>
        )}
      </span>
    </li>
  );
}

const own = words.own;

function PrivateLocationRow({ location }: { readonly location: PrivateLocation }) {
  const { name, slugName, agentCount, lastSeen } = location;
  const health = decidePrivateHealth(location);
  return (
    <LocationRow place={slugName} name={name} health={health} lastSeen={lastSeen}>
      <span className={textStyles.muted}>, {own.probeCount(agentCount)}</span>
    </LocationRow>
  );
}

interface UnknownLocationsProps {
  readonly known: readonly PrivateLocation[];
  readonly onCreate: (slugName: string) => void;
}

/**
 * Lists locations that do not exist although checks use them. Such checks were saved before the API
 * validated locations.
 */
function UnknownLocations({ known, onCreate }: UnknownLocationsProps) {
  const mayCreate = useMay("admin");
  const { data: counts } = useQuery(checkCountsQuery);
  const { data: places } = useQuery(liveLocationsQuery);
  if (counts === undefined || places === undefined) return null;
  const names = new Set([
    ...known.map(({ slugName }) => slugName),
    ...places.map(({ region }) => region),
  ]);
  const unknown = [...counts].filter(([place]) => !names.has(place));
  if (unknown.length === 0) return null;
  return (
    <Stack as="section" className={styles.part} aria-labelledby="unknown-places">
      <h3 id="unknown-places">{own.unknown}</h3>
      <p className={textStyles.muted}>{own.unknownText}</p>
      <ul className={listStyles.list}>
        {unknown.map(([slug, count]) => (
          <Row as="li" gap={4} tight key={slug} className={`${listStyles.item} ${styles.keyRow}`}>
            <span className={textStyles.wrap}>{slug}</span>
            <Link to="/checks" search={{ location: [slug] }}>
              {words.checks(count)}
            </Link>
            {mayCreate && (
              <Button variant="default" size="xs" onClick={() => onCreate(slug)}>
                {own.createNamed(slug)}
              </Button>
            )}
          </Row>
        ))}
      </ul>
    </Stack>
  );
}

/** Lists the private locations, or explains how to create the first one. */
function PrivateLocations() {
  const mayCreate = useMay("admin");
  const { data, error, refetch } = useQuery(privateLocationsQuery);
  const [created, setCreated] = useState<{ readonly slugName: string } | null>(null);
  const create = mayCreate && (
    <Button onClick={() => setCreated({ slugName: "" })}>{own.create}</Button>
  );
  return (
    <Stack as="section" className={styles.part} aria-labelledby="private-locations">
      <Row gap={4} justify="between">
        <h2 id="private-locations">{own.title}</h2>
        {data !== undefined && data.length > 0 && create}
      </Row>
      {error && data === undefined && (
        <ErrorPanel error={error} title={own.notLoaded} onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.length === 0 && (
        <EmptyState title={own.empty}>
          <p>{own.emptyText}</p>
          {create}
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className={listStyles.list}>
          {data.map((location) => (
            <PrivateLocationRow key={location.id} location={location} />
          ))}
        </ul>
      )}
      {data !== undefined && (
        <UnknownLocations known={data} onCreate={(slugName) => setCreated({ slugName })} />
      )}
      {created && <NewLocationDialog {...created} onClose={() => setCreated(null)} />}
    </Stack>
  );
}

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
          <p className={textStyles.muted}>{words.othersText}</p>
          <ul className={styles.names}>
            {others.map(({ region, name }) => (
              <li key={region}>
                {name} <span className={textStyles.muted}>{region}</span>
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
