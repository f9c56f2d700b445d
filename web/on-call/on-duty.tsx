import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Callout } from "../parts/blocks.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { joinClasses, Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./on-call.module.css";
import { nowQuery, usesQuery, warningsQuery } from "./queries.ts";
import { formatShort } from "./times.ts";
import { words } from "./words.ts";

const maxShown = 3;
const maxWarnings = 3;
/** Maximum number of warnings that the schedules screen shows initially. */
const maxFixes = 5;

/** Warns about reasons why paging would fail, such as nobody being on call. */
export function Warnings({ isShort = false }: { readonly isShort?: boolean }) {
  const { data = [] } = useQuery(warningsQuery);
  const [isWhole, setWhole] = useState(false);
  if (data.length === 0) return null;
  const shown = isWhole ? data : data.slice(0, isShort ? maxWarnings : maxFixes);
  const missing = data.length - shown.length;
  return (
    <Callout tone="bad" as="section" aria-label={words.warnings}>
      {shown.map(({ kind, scheduleId, scheduleName, sentence, fix }) => (
        <p key={`${kind} ${scheduleId} ${sentence}`} className={textStyles.wrap}>
          {scheduleId !== null && (
            <>
              <Link to="/on-call/$scheduleId" params={{ scheduleId }}>
                <bdi>{scheduleName}</bdi>
              </Link>
              {": "}
            </>
          )}
          {sentence} {!isShort && <span className={textStyles.muted}>{fix}</span>}
        </p>
      ))}
      {missing > 0 && (
        <p>
          {isShort ? (
            <Link to="/on-call">{words.moreWarnings(missing)}</Link>
          ) : (
            <LinkButton onClick={() => setWhole(true)}>{words.moreWarnings(missing)}</LinkButton>
          )}
        </p>
      )}
    </Callout>
  );
}

/**
 * Shows on the first screen who is on call now. Shows nothing if the account has no schedules.
 * Names only people whom alerts reach: while checks have problems, those whom the alerts of these
 * checks page, because others know nothing about the problems.
 */
export function OnDuty() {
  const { data: all = [] } = useQuery(nowQuery);
  const { data: uses } = useQuery(usesQuery);
  if (all.length === 0 || uses === undefined) return null;
  const findUse = (scheduleId: string) => uses.schedules.find(({ id }) => id === scheduleId);
  const data = all.filter(({ scheduleId }) => {
    const use = findUse(scheduleId);
    return use === undefined || use.troubledCount > 0 || uses.troubledCount === 0;
  });
  return (
    <Stack gap={3} className={joinClasses(layoutStyles.inset, styles.duty)}>
      <Warnings isShort />
      <Row as="p" tight gap={4}>
        <Link to="/on-call">{words.title}</Link>
        {data.slice(0, maxShown).map(({ scheduleId, scheduleName, name, until }) => (
          <span key={scheduleId} className={textStyles.wrap}>
            <bdi>{scheduleName}</bdi>:{" "}
            <strong>
              {findUse(scheduleId) === undefined ? words.notPaged : (name ?? words.nobody)}
            </strong>
            {findUse(scheduleId) !== undefined && until !== null && (
              <span className={textStyles.muted}> {`${words.until} ${formatShort(until)}`}</span>
            )}
          </span>
        ))}
        {data.length > maxShown && <span>+{data.length - maxShown}</span>}
      </Row>
    </Stack>
  );
}
