/** Components that the run views of several check types share. */

import type { ReactNode } from "react";
import { FactList } from "../../parts/blocks.tsx";
import { getAt } from "../../parts/fields.ts";
import { formatMs } from "../../parts/figures.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { showControls, showInLine } from "./foreign-text.ts";
import styles from "./run-parts.module.css";
import { words } from "./words.ts";

export type Fact = readonly [string, ReactNode];

/** Shows facts as names and values. Facts without a value are omitted. */
export function Facts({ facts }: { readonly facts: readonly (Fact | null)[] }) {
  return (
    <FactList tiles>
      {facts.map((fact) =>
        fact === null || fact[1] == null || fact[1] === "" ? null : (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{typeof fact[1] === "string" ? showInLine(fact[1]) : fact[1]}</dd>
          </div>
        ),
      )}
    </FactList>
  );
}

interface FamilyViewsProps<Run> {
  readonly run: Run;
  /** Renders the run of one IP version. */
  readonly children: (run: Run) => ReactNode;
}

/** Shows the measurements over IPv4 and IPv6 next to each other, if a run has both. */
export function FamilyViews<Run extends object>({ run, children }: FamilyViewsProps<Run>) {
  const field = Object.keys(run).find((name) => hasFamilies(getAt(run, name)));
  if (field === undefined) return children(run);
  const documents = ["IPv4", "IPv6"].map((family) => {
    const document = getAt(run, `${field}.families.${family}`);
    return { family, document, time: getAt(document, "responseTime") };
  });
  return (
    <>
      <Facts
        facts={documents.map(({ family, time }) => [
          words.timeOver(family),
          typeof time === "number" ? formatMs(time) : words.noResponse,
        ])}
      />
      <div className={styles.families}>
        {documents.map(({ family, document }) => (
          <Stack as="section" gap={2} key={family} aria-label={family}>
            <h3>{family}</h3>
            {children({ ...run, [field]: document })}
          </Stack>
        ))}
      </div>
    </>
  );
}

function hasFamilies(document: unknown): boolean {
  return typeof document === "object" && document !== null && "families" in document;
}

export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Stack as="section" gap={2}>
      <h3>{title}</h3>
      {children}
    </Stack>
  );
}

/** Shows untrusted text from a server in a scrollable box. */
export function ForeignText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
      <pre className={`${textStyles.code} ${styles.text}`} tabIndex={0}>
        {showControls(text)}
      </pre>
    </section>
  );
}

/** Shows the error of a run without a measurement. */
export function RunError({ error }: { readonly error: object | null | undefined }) {
  if (error === null || error === undefined) return null;
  const [message, code, phase] = ["message", "code", "phase"].map((name) => getAt(error, name));
  const details = [code, phase].filter((part) => typeof part === "string" && part !== "");
  return (
    <p className={`${textStyles.bad} ${textStyles.lines}`}>
      {showControls(typeof message === "string" ? message : words.noMeasurement)}
      {details.length > 0 && (
        <span className={`${textStyles.hint} ${textStyles.mono}`}> {details.join(", ")}</span>
      )}
    </p>
  );
}

export interface Phase {
  readonly name: string;
  /** Duration of the phase; `null` if the run had no such phase. */
  readonly ms: number | null;
}

interface PlacedPhase extends Phase {
  readonly ms: number;
  readonly startMs: number;
}

/** Calculates the start of each phase. A phase starts where the previous phase ended. */
export function placePhases(phases: readonly Phase[]): PlacedPhase[] {
  const placed: PlacedPhase[] = [];
  let startMs = 0;
  for (const { name, ms } of phases) {
    if (ms === null) continue;
    placed.push({ name, ms, startMs });
    startMs += ms;
  }
  return placed;
}

/** Shows phases as a waterfall with their durations. */
export function Waterfall({ phases }: { readonly phases: readonly Phase[] }) {
  const placed = placePhases(phases);
  const totalMs = placed.reduce((sum, { ms }) => sum + ms, 0) || 1;
  return (
    <table className={styles.waterfall}>
      <caption className="unseen">{words.phases}</caption>
      <tbody>
        {placed.map(({ name, ms, startMs }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className={styles.track}>
              <svg
                viewBox="0 0 1000 12"
                preserveAspectRatio="none"
                aria-hidden="true"
                className={styles.bar}
              >
                <rect
                  x={(startMs / totalMs) * 1_000}
                  width={Math.max((ms / totalMs) * 1_000, 4)}
                  y={0}
                  height={12}
                />
              </svg>
            </td>
            <td className={styles.ms}>{formatMs(ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function HeaderFields({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <Stack as="dl" gap={1} className={`${textStyles.mono} ${textStyles.small} ${textStyles.wrap}`}>
      {entries.map(([name, value]) => (
        <div className={styles.header} key={name}>
          <dt>{showInLine(name)}</dt>
          <dd>{showInLine(value)}</dd>
        </div>
      ))}
    </Stack>
  );
}

/** Formats "61 days left" or "expired 3 days ago". */
export function formatDaysLeft(days: number): string {
  const count = Math.abs(days);
  const length = `${count} ${count === 1 ? words.day : words.days}`;
  return days < 0 ? `${words.expired} ${length} ${words.ago}` : `${length} ${words.left}`;
}
