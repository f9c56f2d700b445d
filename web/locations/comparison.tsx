import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../parts/buttons.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { Ago } from "../parts/time.tsx";
import styles from "./locations.module.css";
import { type Probe, recordsQuery } from "./queries.ts";
import { words } from "./words.ts";

export function Comparison({ region }: { readonly region: string }) {
  const { data: records } = useQuery(recordsQuery);
  const record = records?.get(region);
  return (
    <Stack as="section" className={styles.part} aria-labelledby="comparison">
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
      <p className={styles.faint}>{words.addressesText}</p>
      <div>
        <CopyButton text={all.join("\n")} label={words.copy} />
      </div>
    </Stack>
  );
}
