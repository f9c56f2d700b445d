import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.ts";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./maintenance.module.css";
import type { WindowInput } from "./queries.ts";
import { previewQuery } from "./queries.ts";
import {
  formatCoverage,
  formatParts,
  formatRule,
  formatSpan,
  isSameClock,
  ownZone,
} from "./sentences.ts";
import { words } from "./words.ts";

/** Adds a placeholder name, because the API rejects a preview without one. */
function readInput(text: string): WindowInput | null {
  if (text === "") return null;
  const input = JSON.parse(text) as WindowInput;
  return { ...input, name: input.name || words.title };
}

function Rule({ input }: { readonly input: WindowInput }) {
  const { startsAt, endsAt, timezone = "UTC" } = input;
  const { repeatUnit = null, repeatInterval = null, repeatEndsAt = null } = input;
  return (
    <p>{formatRule({ startsAt, endsAt, timezone, repeatUnit, repeatInterval, repeatEndsAt })}.</p>
  );
}

interface PreviewProps {
  readonly text: string;
  /** Whether to list the next occurrences. A saved window lists them below. */
  readonly hasNext: boolean;
}

/** Server-computed summary of the window while it is edited. */
export function Preview({ text, hasNext }: PreviewProps) {
  const input = readInput(text);
  const { data, error, isFetching } = useQuery(previewQuery(input));
  const zone = input?.timezone ?? "UTC";
  return (
    <Stack as="section" className={styles.preview} aria-labelledby="preview" aria-busy={isFetching}>
      <h2 id="preview">{words.preview.title}</h2>
      {input === null && <p className={styles.faint}>{words.preview.waiting}</p>}
      {input !== null && <Rule input={input} />}
      {input !== null && error instanceof ApiError && (
        <p className={textStyles.fair} role="alert">
          {words.preview.refused}: {error.message}
        </p>
      )}
      {input !== null && data === undefined && !error && <Skeleton rows={4} />}
      {input !== null && data !== undefined && !error && (
        <>
          <p title={formatParts(data.silences)}>
            {formatCoverage(data.silences) === "nothing" ? (
              words.preview.silencesNothing
            ) : (
              <>
                It {words.silences(formatCoverage(data.silences))}
                {formatParts(data.silences) !== "" && `: ${formatParts(data.silences)}`}.
              </>
            )}
          </p>
          {hasNext && <h3>{words.preview.next}</h3>}
          {data.occurrences.length === 0 && <p>{words.preview.isOver}</p>}
          <Stack as="ol" gap={2} className={styles.nextList} hidden={!hasNext}>
            {data.occurrences.map(({ startsAt, endsAt }) => (
              <li key={startsAt}>
                <span>{formatSpan(startsAt, endsAt, zone)}</span>
                {!isSameClock(zone, startsAt) && (
                  <span className={styles.faint}>
                    {formatSpan(startsAt, endsAt)} ({ownZone})
                  </span>
                )}
              </li>
            ))}
          </Stack>
        </>
      )}
    </Stack>
  );
}
