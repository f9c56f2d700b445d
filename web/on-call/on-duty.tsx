import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Callout } from "../parts/blocks.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { nowQuery, warningsQuery } from "./queries.ts";
import { formatShort } from "./times.ts";
import { words } from "./words.ts";

const maxShown = 3;
const maxWarnings = 3;

/** What would make a page fail: nobody on call, somebody who cannot be reached, no fallback. */
export function Warnings({ isShort = false }: { readonly isShort?: boolean }) {
  const { data = [] } = useQuery(warningsQuery);
  if (data.length === 0) return null;
  const shown = isShort ? data.slice(0, maxWarnings) : data;
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
      {shown.length < data.length && (
        <p>
          <Link to="/on-call">{words.moreWarnings(data.length - shown.length)}</Link>
        </p>
      )}
    </Callout>
  );
}

/** Who is on call now, for the first screen; nothing without schedules. */
export function OnDuty() {
  const { data = [] } = useQuery(nowQuery);
  if (data.length === 0) return null;
  return (
    <Stack gap={3} className={layoutStyles.inset}>
      <Warnings isShort />
      <Row as="p" tight gap={4}>
        <Link to="/on-call">{words.title}</Link>
        {data.slice(0, maxShown).map(({ scheduleId, scheduleName, name, until }) => (
          <span key={scheduleId} className={textStyles.wrap}>
            <bdi>{scheduleName}</bdi>: <strong>{name ?? words.nobody}</strong>
            {until !== null && (
              <span className={textStyles.muted}> {`${words.until} ${formatShort(until)}`}</span>
            )}
          </span>
        ))}
        {data.length > maxShown && <span>+{data.length - maxShown}</span>}
      </Row>
    </Stack>
  );
}
