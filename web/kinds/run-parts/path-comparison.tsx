import type { components } from "../../api/schema.d.ts";
import { formatMs } from "../../parts/figures.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import { showInLine } from "./foreign-text.ts";
import styles from "./path-comparison.module.css";
import { Part } from "./run-parts.tsx";

type PathReport = components["schemas"]["PathReport"];
type Path = components["schemas"]["Path"];

/** The only place of an installation has a name that is not a proper noun. */
const inSentence = (location: string) => (location === "This server" ? "this server" : location);

const words = {
  title: "Network path",
  failing: (location: string) => `From ${inSentence(location)}, when the run failed`,
  lastGood: "Last good path",
  passing: (location: string) => `From ${inSentence(location)}, where the check passes`,
  silent: "no response",
  reached: (time: string | null) => (time === null ? "reached" : `reached in ${time}`),
  notReached: "not reached now",
  ends: "The path ends here.",
  end: {
    reached: "",
    silent: "No later hop responded.",
    error: "",
    loop: "The path repeats from here.",
  },
} as const;

/**
 * Finds the hop at which the failing path breaks off, compared with `good`, the path of a passing
 * run. Returns the index of the first responding hop in `good` after the last hop that occurs in
 * both paths. If the paths have no hop in common, the search starts at the number of hops of the
 * failing path. Returns `null` if no hop is found or if the failing path reached the target.
 */
export function findBreak(failing: Path, good: Path): number | null {
  if (failing.end === "reached") return null;
  const reached = new Set(failing.hops.map(({ address }) => address));
  const last = good.hops.findLastIndex(({ address }) => address !== null && reached.has(address));
  const from = last < 0 ? failing.hops.length : last + 1;
  const next = good.hops.findIndex(({ address }, index) => index >= from && address !== null);
  return next < 0 ? null : next;
}

interface HopsProps {
  readonly path: Path;
  /** Index of the first hop that is marked as not reached; `null` to mark none. */
  readonly breakAt?: number | null;
  readonly isFailing?: boolean;
}

function Hops({ path, breakAt = null, isFailing = false }: HopsProps) {
  const { hops, end } = path;
  const isBroken = isFailing && end !== "reached";
  return (
    <ol className={styles.hops}>
      {hops.map((hop, index) => {
        const { address, name, roundTripMs, error } = hop;
        const isTarget = end === "reached" && index === hops.length - 1;
        const time = roundTripMs === null ? null : formatMs(roundTripMs);
        const notes = [
          index === breakAt ? words.notReached : null,
          isTarget ? words.reached(time) : time,
          // The name of the target repeats what the check says.
          isTarget ? null : name && showInLine(name),
        ];
        const isLost = breakAt !== null && index >= breakAt;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a hop
          <li key={index} data-state={isLost ? "lost" : address === null ? "silent" : "known"}>
            <span className={`${textStyles.mono} ${textStyles.wrap}`}>
              {address ?? words.silent}
            </span>
            <span className={`${textStyles.muted} ${textStyles.small} ${textStyles.clip}`}>
              {notes.filter(Boolean).join(" · ")}
            </span>
            {error !== null && <span className={textStyles.bad}>{showInLine(error)}</span>}
          </li>
        );
      })}
      {isBroken && (
        <li data-state="end">
          <span className={textStyles.bad}>{words.ends}</span>
          <span className={`${textStyles.muted} ${textStyles.small}`}>{words.end[end]}</span>
        </li>
      )}
    </ol>
  );
}

interface PathComparisonProps {
  readonly report: PathReport;
  readonly nameLocation: (region: string) => string;
}

/**
 * Shows up to three paths: of the failing run, of the last run that passed, and of a passing
 * location.
 */
export function PathComparison({ report, nameLocation }: PathComparisonProps) {
  const { summary, location, failing, trouble, passing, lastGood } = report;
  const breakAt = failing && lastGood && findBreak(failing, lastGood.path);
  return (
    <Part title={words.title}>
      <p className={textStyles.wrap}>{showInLine(trouble ?? summary)}</p>
      <div className={styles.paths}>
        {failing && (
          <Stack as="section" gap={2}>
            <h4>{words.failing(nameLocation(location))}</h4>
            <Hops path={failing} isFailing />
          </Stack>
        )}
        {failing && lastGood && (
          <Stack as="section" gap={2}>
            <h4>
              {words.lastGood}, <DateTime at={lastGood.learnedAt} />
            </h4>
            <Hops path={lastGood.path} breakAt={breakAt} />
          </Stack>
        )}
        {passing && (
          <Stack as="section" gap={2}>
            <h4>{words.passing(nameLocation(passing.location))}</h4>
            <Hops path={passing.path} />
          </Stack>
        )}
      </div>
    </Part>
  );
}
