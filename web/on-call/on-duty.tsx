import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import layoutStyles from "../parts/layout.module.css";
import { Row } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { nowQuery } from "./queries.ts";
import { formatShort } from "./times.ts";
import { words } from "./words.ts";

const maxShown = 3;

/** Who is on call now, for the first screen; nothing without schedules. */
export function OnDuty() {
  const { data = [] } = useQuery(nowQuery);
  if (data.length === 0) return null;
  return (
    <Row as="p" tight gap={4} className={layoutStyles.inset}>
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
  );
}
