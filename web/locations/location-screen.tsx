import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { CopyButton } from "../parts/copy-button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago, Lasting } from "../parts/time.tsx";
import { decideHealth } from "./health.ts";
import styles from "./locations.module.css";
import { checkCountsQuery, type Place, type Probe, placesQuery, recordsQuery } from "./queries.ts";
import { words } from "./words.ts";

function Addresses({ list }: { readonly list: readonly string[] }) {
  if (list.length === 0) return <span className={styles.faint}>{words.probe.noAddress}</span>;
  return (
    <ul>
      {[...new Set(list)].map((address) => (
        <li key={address}>
          <code>{address}</code>
        </li>
      ))}
    </ul>
  );
}

function ProbeFacts({ probe }: { readonly probe: Probe }) {
  const own = words.probe;
  const isAlive = probe.status === "alive";
  const { state, text } = decideHealth({
    servedBy: isAlive ? "own-probe" : "nobody",
    probes: [probe],
  });
  return (
    <li className={styles.probe}>
      <h3 className={styles.probeName}>
        <StateMark state={isAlive ? state : "unknown"} />
        <bdi>{probe.id}</bdi>
        <span className={styles.faint}>
          {isAlive ? text : words.health.silent}
          {probe.isBuiltIn && `, ${own.builtIn}`}
        </span>
      </h3>
      <dl className={styles.facts}>
        <dt>{own.version}</dt>
        <dd>{probe.version}</dd>
        <dt>{own.seen}</dt>
        <dd>
          <Ago at={probe.lastSeenAt} />
        </dd>
        {isAlive && (
          <>
            <dt>{own.started}</dt>
            <dd>
              <Lasting since={probe.startedAt} />
            </dd>
          </>
        )}
        {probe.isBuiltIn && (
          <>
            <dt>{own.clock}</dt>
            <dd>{own.ownClock}</dd>
          </>
        )}
        <dt>{own.ipv4}</dt>
        <dd>
          <Addresses list={probe.ipv4} />
        </dd>
        <dt>{own.ipv6}</dt>
        <dd>
          <Addresses list={probe.ipv6} />
        </dd>
        {probe.limitations.length > 0 && (
          <>
            <dt>{own.limitations}</dt>
            <dd>
              <ul>
                {probe.limitations.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}

function Comparison({ region }: { readonly region: string }) {
  const { data: records } = useQuery(recordsQuery);
  const record = records?.get(region);
  return (
    <section className={styles.part} aria-labelledby="comparison">
      <h2 id="comparison">{words.comparison}</h2>
      {records === undefined && <Skeleton rows={1} />}
      {records !== undefined && record === undefined && (
        <p className={styles.faint}>{words.noResults}</p>
      )}
      {record !== undefined && (
        <>
          {record.sharedCount === 0 ? (
            <p className={styles.faint}>{words.noneShared}</p>
          ) : (
            <p>{words.agreesLong(record.agreeingCount, record.sharedCount)}</p>
          )}
          {record.failingOnlyThereCount > 0 && (
            <p>{words.onlyHere(record.failingOnlyThereCount)}</p>
          )}
          <p className={styles.faint}>
            {words.lastResult}: <Ago at={record.lastResultAt} />
          </p>
        </>
      )}
    </section>
  );
}

function Firewall({ probes }: { readonly probes: readonly Probe[] }) {
  const all = [...new Set(probes.flatMap(({ ipv4, ipv6 }) => [...ipv4, ...ipv6]))];
  if (all.length === 0) return null;
  return (
    <section className={styles.part} aria-labelledby="addresses">
      <h2 id="addresses">{words.addresses}</h2>
      <p className={styles.faint}>{words.addressesText}</p>
      <div>
        <CopyButton text={all.join("\n")} label={words.copy} />
      </div>
    </section>
  );
}

function KnownPlace({ place }: { readonly place: Place }) {
  const { region, name, probes, servedBy } = place;
  const { data: counts } = useQuery(checkCountsQuery);
  const health = decideHealth(place);
  return (
    <>
      <PageHeader title={<bdi>{name}</bdi>}>
        <Link to="/locations">{words.back}</Link>
      </PageHeader>
      <div className={styles.content}>
        <p className={styles.lead}>
          <StateMark state={health.state} /> {health.text}
          <span className={styles.faint}>
            {region}, {words.servedBy[servedBy]}
          </span>
        </p>
        <p>
          {counts && words.checks(counts.get(region) ?? 0)}{" "}
          {(counts?.get(region) ?? 0) > 0 && (
            <Link to="/checks" search={{ location: [region] }}>
              {words.allChecks}
            </Link>
          )}
        </p>
        <section className={styles.part} aria-labelledby="probes">
          <h2 id="probes">{words.probes}</h2>
          {probes.length === 0 && <p className={styles.faint}>{words.noProbes}</p>}
          <ul className={styles.rows}>
            {probes.map((probe) => (
              <ProbeFacts key={probe.id} probe={probe} />
            ))}
          </ul>
        </section>
        <Firewall probes={probes} />
        <Comparison region={region} />
      </div>
    </>
  );
}

function LocationScreen() {
  const { region } = route.useParams();
  const { data, error, refetch } = useQuery(placesQuery);
  const place = data?.find((one) => one.region === region);
  return (
    <div className={styles.screen}>
      {error && data === undefined && (
        <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Skeleton rows={8} />}
      {data !== undefined && place === undefined && (
        <>
          <PageHeader title={<bdi>{region}</bdi>}>
            <Link to="/locations">{words.back}</Link>
          </PageHeader>
          <EmptyState title={words.unknown}>
            <p>{words.unknownText}</p>
          </EmptyState>
        </>
      )}
      {place !== undefined && <KnownPlace place={place} />}
    </div>
  );
}

export const route = createLazyRoute("/signed-in/locations/$region")({
  component: LocationScreen,
});
