import { Link } from "@tanstack/react-router";
import { nameKind } from "../../kinds/index.ts";
import { formatMs, formatPercent } from "../../parts/figures.ts";
import { MuteIcon } from "../../parts/icons.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Ago, Lasting } from "../../parts/time.tsx";
import styles from "./check-table.module.css";
import { DayBar } from "./day-bar.tsx";
import type { CheckOverview } from "./queries.ts";
import type { Column } from "./search.ts";
import { splitName } from "./split-name.ts";
import { words } from "./words.ts";

export interface RowProps {
  readonly check: CheckOverview;
  readonly barFrom: string;
  readonly shown: readonly Column[];
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly isBeingDeleted: boolean;
  readonly maySelect: boolean;
  readonly onSelect: (isRange: boolean) => void;
}

const maxTags = 2;

function TagList({ tags }: { readonly tags: readonly string[] }) {
  const more = tags.slice(maxTags);
  return (
    <>
      {tags.slice(0, maxTags).map((tag) => (
        <span className={styles.tag} key={tag} title={tag}>
          <bdi>{tag}</bdi>
        </span>
      ))}
      {more.length > 0 && (
        <span className={styles.more} title={more.join(", ")}>
          +{more.length}
        </span>
      )}
    </>
  );
}

function Availability({ check }: { readonly check: CheckOverview }) {
  if (check.availability !== null && !check.hasEnoughData) {
    return (
      <span className={styles.faint} title={words.tooNewHint}>
        {words.tooNew}
      </span>
    );
  }
  return formatPercent(check.availability);
}

/** State, name and target, shown at every width. */
function NameCell({ check, isOpen }: { readonly check: CheckOverview; readonly isOpen: boolean }) {
  const { name, target, state, since, reason, muted } = check;
  const [head, tail] = splitName(name);
  const hasProblem = state === "failing" || state === "degraded";
  const detail = hasProblem && reason ? reason : target;
  return (
    <td className={styles.name}>
      <Link
        to="/checks/$checkId"
        params={{ checkId: check.checkId }}
        className={styles.link}
        aria-current={isOpen ? "page" : undefined}
        data-check={check.checkId}
        aria-label={name}
        title={tail === "" ? undefined : name}
      >
        <bdi>
          <span className={styles.nameHead}>{head}</span>
          {tail !== "" && <span className={styles.nameTail}>{tail}</span>}
        </bdi>
      </Link>
      {muted && (
        <span className={styles.muted} title={words.muted}>
          <MuteIcon size={14} />
          <span className="unseen">{words.muted}</span>
        </span>
      )}
      {hasProblem && since !== null && (
        <span className={styles.since} data-state={state} title={reason ?? undefined}>
          <Lasting since={since} />
        </span>
      )}
      {detail !== name && (
        <span className={styles.target} title={detail}>
          <bdi>{detail}</bdi>
        </span>
      )}
    </td>
  );
}

function ColumnCell(props: RowProps & { readonly column: Column }) {
  const { check, column, barFrom } = props;
  switch (column) {
    case "kind":
      return nameKind(check.checkType);
    case "group":
      return check.groupName === null ? null : <bdi>{check.groupName}</bdi>;
    case "tags":
      return <TagList tags={check.tags} />;
    case "bar":
      return <DayBar bar={check.bar} from={barFrom} />;
    case "availability":
      return <Availability check={check} />;
    case "p95":
      return formatMs(check.p95);
    case "lastRun":
      return check.lastRunAt === null ? (
        <span className={styles.faint}>{words.never}</span>
      ) : (
        <Ago at={check.lastRunAt} />
      );
  }
}

export function CheckRow(props: RowProps) {
  const { check, shown, isOpen, isSelected, maySelect, onSelect } = props;
  return (
    <>
      {maySelect && (
        <td className={styles.pick}>
          <input
            type="checkbox"
            aria-label={words.select(check.name)}
            checked={isSelected}
            onChange={() => {}}
            onClick={(event) => onSelect(event.shiftKey)}
          />
        </td>
      )}
      <td className={styles.state}>
        <StateMark state={check.state} />
      </td>
      <NameCell check={check} isOpen={isOpen} />
      {shown.map((column) => (
        <td className={styles[column]} key={column}>
          <ColumnCell {...props} column={column} />
        </td>
      ))}
    </>
  );
}
