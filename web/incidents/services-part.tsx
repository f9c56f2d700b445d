import { useQuery } from "@tanstack/react-query";
import { AddressLink } from "../parts/address-link.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import styles from "./incidents.module.css";
import { checkStatusQuery, type Incident, serviceStatusesQuery } from "./queries.ts";
import { incidentWords as words } from "./words.ts";

const maxChecks = 10;

function CheckLine({ checkId }: { readonly checkId: string }) {
  const { data } = useQuery(checkStatusQuery(checkId));
  if (data === undefined) return null;
  return (
    <Row as="li" tight className={styles.check}>
      <StateMark state={data.status} size={14} />
      <AddressLink href={`/checks/${checkId}`}>
        <bdi>{data.name}</bdi>
      </AddressLink>
      {data.status !== "passing" && <span className={styles.muted}>{data.explanation}</span>}
    </Row>
  );
}

/** Affected services, their current state, and their checks. */
export function ServicesPart({ incident }: { readonly incident: Incident }) {
  const { data } = useQuery(serviceStatusesQuery);
  const known = new Map((data ?? []).map((status) => [status.serviceId, status]));
  return (
    <Stack as="section" aria-label={words.services}>
      <h2>{words.services}</h2>
      <Stack as="ul">
        {incident.services.map(({ id, name }) => {
          const status = known.get(id);
          const checkIds = status?.checks?.checkIds ?? [];
          return (
            <li key={id}>
              <Row as="span" tight className={styles.service}>
                {status && <StateMark state={status.status} size={16} />}
                <bdi>{name}</bdi>
                {status?.isUnderMaintenance && (
                  <span className={styles.muted}>{words.maintenance}</span>
                )}
              </Row>
              {status && status.checks === null && <p className={styles.muted}>{words.noChecks}</p>}
              {checkIds.length > 0 && (
                <ul className={styles.checks} aria-label={`${words.checksBehind} ${name}`}>
                  {checkIds.slice(0, maxChecks).map((checkId) => (
                    <CheckLine key={checkId} checkId={checkId} />
                  ))}
                  {checkIds.length > maxChecks && (
                    <li className={styles.muted}>
                      {words.moreChecks(checkIds.length - maxChecks)}
                    </li>
                  )}
                </ul>
              )}
            </li>
          );
        })}
      </Stack>
    </Stack>
  );
}
