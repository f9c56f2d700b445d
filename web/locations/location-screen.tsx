import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { CopyButton } from "../parts/buttons.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import { AddProbeDialog, StartCommand } from "./add-probe.tsx";
import { decideHealth, decidePrivateHealth } from "./health.ts";
import { RenameDialog } from "./location-dialog.tsx";
import styles from "./locations.module.css";
import { ProbeList } from "./probe-facts.tsx";
import {
  checkCountsQuery,
  liveLocationsQuery,
  type Place,
  type PrivateLocation,
  type Probe,
  privateLocationsQuery,
  recordsQuery,
  waitingQuery,
} from "./queries.ts";
import { words } from "./words.ts";

const keyWords = words.keys;
type Key = Schemas["ProbeKey"];

interface RevokeProps {
  readonly location: PrivateLocation;
  readonly revoked: Key;
  readonly onClose: () => void;
}

function RevokeDialog({ location: { id, probes }, revoked, onClose }: RevokeProps) {
  const queryClient = useQueryClient();
  const revoking = useMutation({
    mutationFn: () =>
      send(
        api.DELETE("/v1/private-locations/{id}/keys/{keyId}", {
          params: { path: { id, keyId: revoked.id } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: keyWords.revoked });
      await renewQueries(queryClient, ["private-locations"]);
    },
  });
  const using = probes.filter(({ keyId, status }) => keyId === revoked.id && status === "alive");
  return (
    <ConfirmDialog
      isOpen
      title={keyWords.revokeTitle(revoked.maskedKey)}
      action={keyWords.revoke}
      isBusy={revoking.isPending}
      onConfirm={() => revoking.mutate()}
      onCancel={onClose}
    >
      <p>{keyWords.revokeText(using.length)}</p>
      {revoking.error && <ErrorPanel error={revoking.error} />}
    </ConfirmDialog>
  );
}

function LocationKeys({ location }: { readonly location: PrivateLocation }) {
  const mayWrite = useMay("write");
  const [revoked, setRevoked] = useState<Key | null>(null);
  return (
    <Stack as="section" className={styles.part} aria-labelledby="keys">
      <h2 id="keys">{keyWords.title}</h2>
      {location.keys.length === 0 && <p className={textStyles.muted}>{keyWords.none}</p>}
      <ul className={listStyles.list}>
        {location.keys.map((key) => (
          <Row as="li" gap={4} tight key={key.id} className={`${listStyles.item} ${styles.keyRow}`}>
            <code>{key.maskedKey}</code>
            <span className={textStyles.muted}>
              {keyWords.created} <Ago at={key.created_at} />
            </span>
            <span className={textStyles.muted}>
              {keyWords.used}{" "}
              {key.lastUsedAt === null ? keyWords.never : <Ago at={key.lastUsedAt} />}
            </span>
            {mayWrite && (
              <Button
                variant="default"
                size="xs"
                aria-label={`${keyWords.revoke} ${key.maskedKey}`}
                onClick={() => setRevoked(key)}
              >
                {keyWords.revoke}
              </Button>
            )}
          </Row>
        ))}
      </ul>
      {revoked && (
        <RevokeDialog location={location} revoked={revoked} onClose={() => setRevoked(null)} />
      )}
    </Stack>
  );
}

const waitingWords = words.waiting;
const height = 48;

function Bars({ sizes, most }: { readonly sizes: readonly number[]; readonly most: number }) {
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${sizes.length} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={waitingWords.chart}
    >
      {sizes.map((size, slot) =>
        size === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a slot
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

/**
 * Shows the largest number of runs that waited at the location at one time in the last 24 hours,
 * and the longest wait.
 */
function WaitingRuns({ locationId }: { readonly locationId: string }) {
  const { data, error, refetch } = useQuery(waitingQuery(locationId));
  const most = Math.max(0, ...(data?.queueSize ?? []));
  const oldest = Math.max(0, ...(data?.oldestScheduledCheckRun ?? []));
  return (
    <Stack as="section" className={styles.part} aria-labelledby="waiting">
      <h2 id="waiting">{waitingWords.title}</h2>
      {error && data === undefined && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton rows={1} />}
      {data !== undefined && most === 0 && <p className={textStyles.muted}>{waitingWords.none}</p>}
      {data !== undefined && most > 0 && (
        <>
          <p>
            {waitingWords.most(most)}, {waitingWords.oldest(oldest)}.
          </p>
          <Bars sizes={data.queueSize} most={most} />
        </>
      )}
    </Stack>
  );
}

const own = words.own;

interface DialogProps {
  readonly location: PrivateLocation;
  readonly onClose: () => void;
}

function RemoveDialog({ location: { id, name, slugName }, onClose }: DialogProps) {
  const navigate = useNavigate();
  const removing = useDeletion({
    of: [["private-locations", id]],
    send: () => send(api.DELETE("/v1/private-locations/{id}", { params: { path: { id } } })),
    leave: () => {
      showNotice({ text: own.removed });
      return navigate({ to: "/locations" });
    },
    renew: [["private-locations"]],
  });
  return (
    <ConfirmDialog
      isOpen
      title={own.removeTitle(name)}
      action={own.remove}
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onClose}
    >
      <p>{own.removeText}</p>
      {removing.error && (
        <>
          <ErrorPanel error={removing.error} />
          <Link to="/checks" search={{ location: [slugName] }}>
            {own.inUse}
          </Link>
        </>
      )}
    </ConfirmDialog>
  );
}

function Actions({ location }: { readonly location: PrivateLocation }) {
  const mayAdd = useMay("admin");
  const [open, setOpen] = useState<"add" | "rename" | "remove" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {mayAdd && <Button onClick={() => setOpen("add")}>{words.add.title}</Button>}
      <Button variant="default" onClick={() => setOpen("rename")}>
        {own.rename}
      </Button>
      <Button variant="default" onClick={() => setOpen("remove")}>
        {own.remove}
      </Button>
      {open === "add" && <AddProbeDialog locationId={location.id} onClose={close} />}
      {open === "rename" && <RenameDialog location={location} onClose={close} />}
      {open === "remove" && <RemoveDialog location={location} onClose={close} />}
    </>
  );
}

export function Comparison({ region }: { readonly region: string }) {
  const { data: records } = useQuery(recordsQuery);
  const record = records?.get(region);
  return (
    <Stack as="section" className={styles.part} aria-labelledby="comparison">
      <h2 id="comparison">{words.comparison}</h2>
      {records === undefined && <Skeleton rows={1} />}
      {records !== undefined && record === undefined && (
        <p className={textStyles.muted}>{words.noResults}</p>
      )}
      {record !== undefined && (
        <>
          {record.sharedCount === 0 ? (
            <p className={textStyles.muted}>{words.noneShared}</p>
          ) : (
            <p>{words.agreesLong(record.agreeingCount, record.sharedCount)}</p>
          )}
          {record.failingOnlyThereCount > 0 && (
            <p>{words.onlyHere(record.failingOnlyThereCount)}</p>
          )}
          <p className={textStyles.muted}>
            {words.lastResult}: <Ago at={record.lastResultAt} />
          </p>
        </>
      )}
    </Stack>
  );
}

/** Lists the source addresses that a firewall must allow. */
export function Firewall({ probes }: { readonly probes: readonly Probe[] }) {
  const all = [...new Set(probes.flatMap(({ ipv4, ipv6 }) => [...ipv4, ...ipv6]))];
  if (all.length === 0) return null;
  return (
    <Stack as="section" className={styles.part} aria-labelledby="addresses">
      <h2 id="addresses">{words.addresses}</h2>
      <p className={textStyles.muted}>{words.addressesText}</p>
      <div>
        <CopyButton text={all.join("\n")} label={words.copy} />
      </div>
    </Stack>
  );
}

/** Detail screen of a private location: health, probes, keys and queued runs. */
function PrivateLocationView({ location }: { readonly location: PrivateLocation }) {
  const { id, name, slugName, probes } = location;
  const mayWrite = useMay("write");
  const { data: counts } = useQuery(checkCountsQuery);
  const health = decidePrivateHealth(location);
  const count = counts?.get(slugName) ?? 0;
  return (
    <>
      <PageHeader
        title={<bdi>{name}</bdi>}
        actions={mayWrite ? <Actions location={location} /> : undefined}
      >
        <Link to="/locations">{words.back}</Link>
      </PageHeader>
      <ScreenBody>
        <Row as="p" gap={3}>
          <StateMark state={health.state} /> {health.text}
          <span className={textStyles.muted}>{slugName}</span>
        </Row>
        <p>
          {counts && words.checks(count)}{" "}
          {count > 0 && (
            <Link to="/checks" search={{ location: [slugName] }}>
              {words.allChecks}
            </Link>
          )}
        </p>
        <Stack as="section" className={styles.part} aria-labelledby="probes">
          <h2 id="probes">{words.probes}</h2>
          {probes.length === 0 &&
            (mayWrite ? <StartCommand /> : <p className={textStyles.muted}>{words.noProbes}</p>)}
          <ProbeList probes={probes} isPrivate />
        </Stack>
        <LocationKeys location={location} />
        <WaitingRuns locationId={id} />
        <Firewall probes={probes} />
        <Comparison region={slugName} />
      </ScreenBody>
    </>
  );
}

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
          <span className={textStyles.muted}>
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
          {probes.length === 0 && <p className={textStyles.muted}>{words.noProbes}</p>}
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
  const { data } = useSuspenseQuery(liveLocationsQuery);
  const { data: own } = useQuery(privateLocationsQuery);
  const location = own?.find(({ slugName }) => slugName === region);
  const place = data.find((one) => one.region === region);
  if (location !== undefined) {
    return (
      <Stack gap={0}>
        <PrivateLocationView location={location} />
      </Stack>
    );
  }
  return (
    <Stack gap={0}>
      {place === undefined && (
        <>
          <PageHeader title={<bdi>{region}</bdi>}>
            <Link to="/locations">{words.back}</Link>
          </PageHeader>
          <EmptyState title={words.unknown}>
            <p>{words.unknownText}</p>
          </EmptyState>
        </>
      )}
      {place !== undefined && <KnownLocation place={place} />}
    </Stack>
  );
}

export const route = createLazyRoute("/signed-in/locations/$region")({
  component: LocationScreen,
});
