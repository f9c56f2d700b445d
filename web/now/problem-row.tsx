import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLocationName } from "../locations/index.ts";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { showNotice } from "../parts/notices.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { formatClock, formatDateTime, Lasting } from "../parts/time.tsx";
import styles from "./problem-row.module.css";
import type { FailingCheck } from "./queries.ts";
import { findFix, formatLocations } from "./sentences.ts";
import { words } from "./words.ts";

/**
 * Shows the last hour in twelve slots, which show when a problem began and whether it is
 * intermittent.
 */
function HourBar({ slots }: { readonly slots: FailingCheck["lastHour"] }) {
  const bad = slots.filter((slot) => slot === "failing" || slot === "degraded").length;
  return (
    <Row
      as="span"
      nowrap
      gap={1}
      align="end"
      className={styles.bar}
      role="img"
      aria-label={`${words.lastHour}: ${bad} of ${slots.length}`}
    >
      {slots.map((slot, place) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a slot
          key={place}
          data-state={slot ?? "none"}
          title={`${(slots.length - place) * 5} min ago: ${words.slots[slot ?? "none"]}`}
        />
      ))}
    </Row>
  );
}

type Told = NonNullable<FailingCheck["alert"]>["told"][number];

function Receipt({ told }: { readonly told: Told }) {
  const { status, sentAt, recipient, type, reason } = told;
  return (
    <li className={styles.receipt} data-status={status} title={reason ?? type}>
      <bdi>{recipient}</bdi>{" "}
      {status === "SENT" && sentAt ? (
        <time dateTime={sentAt} title={formatDateTime(sentAt)}>
          ✓ {formatClock(sentAt)}
        </time>
      ) : (
        <span>{status === "DEAD" ? `✗ ${words.dead}` : `… ${words.pending}`}</span>
      )}
    </li>
  );
}

function Acknowledge({ check }: { readonly check: FailingCheck }) {
  const queryClient = useQueryClient();
  const { checkId, name } = check;
  const acknowledge = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/check-alerts/{checkId}/acknowledge", { params: { path: { checkId } } })),
    onSuccess: () => showNotice({ text: words.acknowledgeDone(name) }),
    onError: (error) => showNotice({ text: words.acknowledgeFailed(error.message), tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["now"]),
  });
  return (
    <Button
      variant="default"
      className={styles.acknowledge}
      aria-label={words.acknowledgeOf(name)}
      loading={acknowledge.isPending}
      onClick={() => acknowledge.mutate()}
    >
      {words.acknowledge}
    </Button>
  );
}

/** Shows why nobody was notified about a failing check, with a link that helps to fix this. */
function NotNotified({ check }: { readonly check: FailingCheck }) {
  const mayWrite = useMay("write");
  const fix = findFix(check);
  return (
    <p className={`${textStyles.muted} ${textStyles.wrap}`}>
      {words.nobodyNotified} {check.untold?.explanation ?? words.unknownReason}{" "}
      {mayWrite && fix !== null && <AddressLink href={fix.href}>{fix.words}</AddressLink>}
    </p>
  );
}

/** Shows who was notified and who acknowledged the alert. */
function NotificationStatus({ check }: { readonly check: FailingCheck }) {
  const { alert } = check;
  const mayAcknowledge = useMay("run");
  if (alert === null) return <NotNotified check={check} />;
  const { acknowledgedAt, acknowledgedBy, told } = alert;
  return (
    <>
      <Row gap={4} tight className={styles.knowledge}>
        {told.length === 0 ? (
          <NotNotified check={check} />
        ) : (
          <Row as="ul" gap={3} tight className={textStyles.muted} aria-label={words.told}>
            <li aria-hidden="true">{words.told}</li>
            {told.map((one) => (
              <Receipt key={`${one.type} ${one.recipient}`} told={one} />
            ))}
          </Row>
        )}
        {alert.alertId !== null && (
          <p className={`${textStyles.muted} ${textStyles.wrap}`}>
            <Link to="/alerts/$alertId" params={{ alertId: alert.alertId }}>
              {words.story}
            </Link>
          </p>
        )}
        <p className={`${textStyles.muted} ${textStyles.wrap}`}>
          {acknowledgedAt === null ? (
            words.unacknowledged
          ) : (
            <>
              <bdi>{words.acknowledged(acknowledgedBy)}</bdi>{" "}
              <time dateTime={acknowledgedAt}>{formatClock(acknowledgedAt)}</time>
            </>
          )}
        </p>
      </Row>
      {acknowledgedAt === null && mayAcknowledge && <Acknowledge check={check} />}
    </>
  );
}

function More({ check }: { readonly check: FailingCheck }) {
  const mayWrite = useMay("write");
  const { checkId, name, lastHour } = check;
  return (
    <Row nowrap gap={4} className={styles.more}>
      <HourBar slots={lastHour} />
      <NotificationStatus check={check} />
      {mayWrite && (
        <AddressLink
          href={`/incidents/new?checkId=${checkId}`}
          className={styles.tell}
          aria-label={words.createIncidentOf(name)}
        >
          {words.createIncident}
        </AddressLink>
      )}
    </Row>
  );
}

interface ProblemRowProps {
  readonly check: FailingCheck;
  /** Whether the row shows only the check and the reason, with all other details collapsed. */
  readonly isCompact: boolean;
}

/**
 * Shows a check that is not passing: start, reason, locations, who was notified, and one action.
 */
export function ProblemRow({ check, isCompact }: ProblemRowProps) {
  const { checkId, name, target, status, since, explanation, locations } = check;
  const address: string = `/checks/${checkId}`;
  const nameOf = useLocationName();
  const where = formatLocations(
    locations.map((one) => ({ ...one, location: nameOf(one.location) })),
  );
  return (
    <Stack
      as="li"
      gap={1}
      className={styles.row}
      data-state={status}
      data-compact={isCompact || undefined}
    >
      <div className={styles.what}>
        <StateMark state={status} size={20} />
        <Row gap={3} tight align="baseline">
          <h3 className={`${textStyles.wrap} ${textStyles.clampOnPhone}`}>
            <Link to={address} className={textStyles.plain}>
              <bdi>{name}</bdi>
            </Link>
          </h3>
          {target !== null && target !== name && (
            <bdi className={`${styles.target} ${textStyles.muted} ${textStyles.wrap}`}>
              {target}
            </bdi>
          )}
        </Row>
        <span className={styles.since}>
          {words.failingFor[status]} <Lasting since={since} />
        </span>
      </div>
      <p className={styles.why}>
        <bdi>{explanation ?? words.noReason}</bdi> {where !== "" && <span>{where}</span>}
      </p>
      {isCompact ? (
        <details className={styles.fold}>
          <summary aria-label={words.detailsOf(name)}>{words.details}</summary>
          <More check={check} />
        </details>
      ) : (
        <More check={check} />
      )}
    </Stack>
  );
}
