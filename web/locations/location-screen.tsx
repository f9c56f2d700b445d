import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Comparison, Firewall } from "./comparison.tsx";
import { decideHealth } from "./health.ts";
import styles from "./locations.module.css";
import { PrivateLocationView } from "./private-location.tsx";
import { ProbeList } from "./probe-facts.tsx";
import {
  checkCountsQuery,
  liveLocationsQuery,
  type Place,
  privateLocationsQuery,
} from "./queries.ts";
import { words } from "./words.ts";

function KnownLocation({ place }: { readonly place: Place }) {
  const { region, name, probes, servedBy } = place;
  const { data: counts } = useQuery(checkCountsQuery);
  const health = decideHealth(place);
  return (
    <>
      <PageHeader title={<bdi>{name}</bdi>}>
        <Link to="/locations">{words.back}</Link>
      </PageHeader>
      <ScreenBody>
        <Row as="p" gap={3}>
          <StateMark state={health.state} /> {health.text}
          <span className={styles.faint}>
            {region}, {words.servedBy[servedBy]}
          </span>
        </Row>
        <p>
          {counts && words.checks(counts.get(region) ?? 0)}{" "}
          {(counts?.get(region) ?? 0) > 0 && (
            <Link to="/checks" search={{ location: [region] }}>
              {words.allChecks}
            </Link>
          )}
        </p>
        <Stack as="section" className={styles.part} aria-labelledby="probes">
          <h2 id="probes">{words.probes}</h2>
          {probes.length === 0 && <p className={styles.faint}>{words.noProbes}</p>}
          <ProbeList probes={probes} isPrivate={false} />
        </Stack>
        <Firewall probes={probes} />
        <Comparison region={region} />
      </ScreenBody>
    </>
  );
}

function LocationScreen() {
  const { region } = route.useParams();
  const { data, error, refetch } = useQuery(liveLocationsQuery);
  const { data: own, error: ownError } = useQuery(privateLocationsQuery);
  const location = own?.find(({ slugName }) => slugName === region);
  const place = data?.find((one) => one.region === region);
  const isKnown = own !== undefined || ownError !== null;
  if (location !== undefined) {
    return (
      <Stack gap={0}>
        <PrivateLocationView location={location} />
      </Stack>
    );
  }
  return (
    <Stack gap={0}>
      {error && data === undefined && (
        <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />
      )}
      {(data === undefined || !isKnown) && !error && <Skeleton rows={8} />}
      {data !== undefined && isKnown && place === undefined && (
        <>
          <PageHeader title={<bdi>{region}</bdi>}>
            <Link to="/locations">{words.back}</Link>
          </PageHeader>
          <EmptyState title={words.unknown}>
            <p>{words.unknownText}</p>
          </EmptyState>
        </>
      )}
      {isKnown && place !== undefined && <KnownLocation place={place} />}
    </Stack>
  );
}

export const route = createLazyRoute("/signed-in/locations/$region")({
  component: LocationScreen,
});
