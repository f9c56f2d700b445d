import { Row, Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import { useNow } from "../parts/time.tsx";
import { ownZone } from "../parts/time-zones.ts";
import styles from "./on-call.module.css";
import type { Shifts } from "./queries.ts";
import { shownDays } from "./queries.ts";
import { formatShort, formatWeekday } from "./times.ts";
import { words } from "./words.ts";

interface Bar {
  readonly from: string;
  readonly to: string;
  /** Id of the person on call; `null` if nobody is on call. */
  readonly userId: string | null;
  readonly name: string | null;
}

/** Joins consecutive shifts of one person, because people regard them as one shift. */
export function joinBars(bars: readonly Bar[]): Bar[] {
  const joined: Bar[] = [];
  for (const bar of bars) {
    const last = joined.at(-1);
    if (last !== undefined && last.userId === bar.userId && last.to === bar.from) {
      joined[joined.length - 1] = { ...last, to: bar.to };
    } else joined.push(bar);
  }
  return joined;
}

const tones = 4;

/** Assigns a colour tone to each person, in order of first appearance. Tones may repeat. */
function mapTones(shifts: Shifts): Map<string, number> {
  const bars = [...shifts.layers.flatMap((layer) => layer.shifts), ...shifts.shifts];
  const ids = new Set(bars.flatMap(({ userId }) => (userId === null ? [] : [userId])));
  return new Map([...ids].map((id, index) => [id, index % tones]));
}

interface LineProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly range: Pick<Shifts, "from" | "to">;
  readonly tonesByUser: ReadonlyMap<string, number>;
  readonly isFinal?: boolean;
}

function Line({ label, bars, range, tonesByUser, isFinal = false }: LineProps) {
  const startMs = Date.parse(range.from);
  const lengthMs = Date.parse(range.to) - startMs;
  const toPercent = (at: string) => ((Date.parse(at) - startMs) / lengthMs) * 100;
  return (
    <div className={styles.line} data-final={isFinal || undefined}>
      <span className={styles.lineLabel}>
        <bdi>{label}</bdi>
      </span>
      <ul className={styles.bars} aria-label={label}>
        {joinBars(bars).map(({ from, to, userId, name }) => (
          <li
            key={from}
            className={styles.bar}
            data-tone={userId === null ? "gap" : tonesByUser.get(userId)}
            style={{ left: `${toPercent(from)}%`, width: `${toPercent(to) - toPercent(from)}%` }}
            title={`${name ?? words.nobody}: ${formatShort(from)} – ${formatShort(to)}`}
          >
            <bdi>{name ?? words.gap}</bdi>
            <span className="unseen">
              {`, ${formatShort(from)} ${words.until} ${formatShort(to)}`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Days({ from }: { readonly from: string }) {
  const days = Array.from({ length: shownDays }, (_, index) => {
    const day = new Date(from);
    day.setDate(day.getDate() + index);
    return day;
  });
  return (
    <div className={styles.line} aria-hidden="true">
      <span className={styles.lineLabel} />
      <div className={styles.days}>
        {days.map((day) => (
          <span key={day.getTime()}>
            {formatWeekday(day.getTime())}
            <br />
            {day.getDate()}
          </span>
        ))}
      </div>
    </div>
  );
}

function NowMark({ range }: Pick<LineProps, "range">) {
  const nowMs = useNow();
  const startMs = Date.parse(range.from);
  const percent = ((nowMs - startMs) / (Date.parse(range.to) - startMs)) * 100;
  if (percent < 0 || percent > 100) return null;
  return (
    <div className={`${styles.line} ${styles.nowLine}`} aria-hidden="true">
      <span className={styles.lineLabel} />
      <div className={styles.nowTrack}>
        <span className={styles.now} style={{ left: `${percent}%` }} />
      </div>
    </div>
  );
}

interface TimelineProps {
  readonly shifts: Shifts;
  readonly label: string;
}

/**
 * Shows two weeks of a schedule: a line for each layer if there are several, and a line with the
 * resulting shifts and gaps.
 */
export function Timeline({ shifts, label }: TimelineProps) {
  const tonesByUser = mapTones(shifts);
  return (
    <Stack as="section" gap={1} className={styles.timeline} aria-label={label}>
      <Days from={shifts.from} />
      {shifts.layers.length > 1 &&
        shifts.layers.map((layer, index) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: layers have no id
            key={index}
            label={layer.name}
            bars={layer.shifts}
            range={shifts}
            tonesByUser={tonesByUser}
          />
        ))}
      <Line
        label={words.final}
        bars={shifts.shifts}
        range={shifts}
        tonesByUser={tonesByUser}
        isFinal
      />
      <NowMark range={shifts} />
      <Row as="p" className={textStyles.hint}>
        {words.inZone(ownZone)}
      </Row>
    </Stack>
  );
}
