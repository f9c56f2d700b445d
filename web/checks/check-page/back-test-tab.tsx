import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { LinkButton } from "../../parts/buttons.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { formatCount } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import styles from "./lists.module.css";
import {
  type AlertSettings,
  type AnyCheck,
  accountAlertSettingsQuery,
  backTestQuery,
} from "./queries.ts";
import tables from "./tables.module.css";
import { alertWords, words } from "./words.ts";

interface BackTestTabProps {
  readonly check: AnyCheck;
  readonly onOpenRun: (resultId: string) => void;
}

type Report = Schemas["BackTest"];

const { backTest: labels } = words;
type Minutes = AlertSettings["timeBasedEscalation"]["minutesFailingThreshold"];
const minuteSteps: readonly Minutes[] = [5, 10, 15, 30];
const dayChoices = [1, 7, 30] as const;

const defaults: AlertSettings = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
};

/** Returns the alert settings of the check, or the account's settings if the check has none. */
function readSettings(check: AnyCheck, account: Partial<AlertSettings> | undefined): AlertSettings {
  const { useGlobalAlertSettings, alertSettings } = check as {
    readonly useGlobalAlertSettings?: boolean;
    readonly alertSettings?: Partial<AlertSettings>;
  };
  return { ...defaults, ...(useGlobalAlertSettings ? account : alertSettings) };
}

interface FormProps {
  readonly settings: AlertSettings;
  readonly days: number;
  readonly onSettings: (settings: AlertSettings) => void;
  readonly onDays: (days: number) => void;
}

function Thresholds({ settings, days, onSettings, onDays }: FormProps) {
  const isByRuns = settings.escalationType === "RUN_BASED";
  const runs = settings.runBasedEscalation.failedRunThreshold;
  const minutes = settings.timeBasedEscalation.minutesFailingThreshold;
  const step = minuteSteps.indexOf(minutes);
  const shown = isByRuns ? labels.runs(runs) : labels.minutes(minutes);
  const move = (value: number) =>
    onSettings(
      isByRuns
        ? { ...settings, runBasedEscalation: { failedRunThreshold: value } }
        : {
            ...settings,
            timeBasedEscalation: { minutesFailingThreshold: minuteSteps[value - 1] ?? 5 },
          },
    );
  return (
    <Row gap={6} align="start">
      <NativeSelect
        label={labels.when}
        value={settings.escalationType}
        data={[
          { value: "RUN_BASED", label: labels.byRuns },
          { value: "TIME_BASED", label: labels.byTime },
        ]}
        onChange={({ currentTarget: { value } }) =>
          onSettings({
            ...settings,
            escalationType: value === "TIME_BASED" ? "TIME_BASED" : "RUN_BASED",
          })
        }
      />
      <Stack as="label" gap={1} className={styles.field}>
        <span>
          {labels.threshold}: {shown}
        </span>
        <input
          type="range"
          min={1}
          max={isByRuns ? 5 : minuteSteps.length}
          value={isByRuns ? runs : step + 1}
          aria-valuetext={shown}
          onChange={({ target }) => move(Number(target.value))}
        />
      </Stack>
      <NativeSelect
        label={labels.days}
        value={`${days}`}
        data={dayChoices.map(String)}
        onChange={({ currentTarget: { value } }) => onDays(Number(value))}
      />
    </Row>
  );
}

/** Counts the alerts that report a new problem. Recoveries and reminders are not counted. */
function countProblems({ alerts }: Report): number {
  return alerts.filter(({ minutesToDetect }) => minutesToDetect !== null).length;
}

function formatDelay(minutes: number | null): string {
  if (minutes === null) return "";
  return minutes < 0.1 ? labels.atOnce : labels.after(minutes.toFixed(1));
}

function Strip({ report }: { readonly report: Report }) {
  const from = Date.parse(report.from);
  const length = Math.max(1, Date.parse(report.to) - from);
  return (
    <svg
      className={styles.strip}
      viewBox="0 0 1000 28"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${labels.strip}: ${labels.times(report.alerts.length)}`}
    >
      {report.alerts.map(({ at, kind, minutesToDetect }) => (
        <rect
          key={`${at} ${kind}`}
          x={((Date.parse(at) - from) / length) * 1_000 - 1.5}
          width={3}
          y={minutesToDetect === null ? 14 : 2}
          height={minutesToDetect === null ? 14 : 26}
          fill={minutesToDetect === null ? "var(--good)" : "var(--bad)"}
        />
      ))}
    </svg>
  );
}

function AlertRows({
  report,
  onOpenRun,
}: { report: Report } & Pick<BackTestTabProps, "onOpenRun">) {
  const { column } = labels;
  return (
    <table className={`${tables.table} ${tables.loose}`}>
      <thead>
        <tr>
          <th scope="col">{column.at}</th>
          <th scope="col">{column.what}</th>
          <th scope="col">{column.delay}</th>
          <th scope="col">
            <span className="unseen">{words.history.run}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {report.alerts.toReversed().map(({ at, kind, minutesToDetect, resultId }) => (
          <tr key={`${at} ${kind}`}>
            <td>
              <DateTime at={at} />
            </td>
            <td>{alertWords[kind] ?? kind}</td>
            <td>{formatDelay(minutesToDetect)}</td>
            <td>
              {resultId !== null && (
                <LinkButton onClick={() => onOpenRun(resultId)}>{words.history.run}</LinkButton>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * Compares the alerts of the current alert settings with the alerts that other settings would have
 * sent for the same runs.
 */
export function BackTestTab({ check, onOpenRun }: BackTestTabProps) {
  const { data: account } = useQuery(accountAlertSettingsQuery);
  const current = readSettings(check, account);
  const [changed, setSettings] = useState<AlertSettings | null>(null);
  const settings = changed ?? current;
  const [days, setDays] = useState<number>(30);
  const before = useQuery(backTestQuery(check.id, { alertSettings: current, days }));
  const after = useQuery(backTestQuery(check.id, { alertSettings: settings, days }));
  const report = after.data;
  const retry = () => void after.refetch();
  return (
    <>
      <p className={textStyles.muted}>{labels.intro}</p>
      <Thresholds settings={settings} days={days} onSettings={setSettings} onDays={setDays} />
      {after.error && <ErrorPanel error={after.error} title={labels.notLoaded} onRetry={retry} />}
      {report === undefined ? (
        after.error === null && <Skeleton rows={6} />
      ) : (
        <>
          <Row as="dl" gap={8} align="start" className={styles.compared} aria-live="polite">
            <div>
              <dt>{labels.asNow}</dt>
              <dd>{before.data ? labels.woken(countProblems(before.data)) : "–"}</dd>
            </div>
            <div>
              <dt>{labels.asProposed}</dt>
              <dd>{labels.woken(countProblems(report))}</dd>
            </div>
            <div>
              <dt>{labels.ofRuns}</dt>
              <dd>{formatCount(report.runs)}</dd>
            </div>
          </Row>
          {report.isTruncated && <p className={textStyles.muted}>{labels.truncated}</p>}
          {report.alerts.length === 0 ? (
            <p>{labels.none}</p>
          ) : (
            <>
              <Strip report={report} />
              <AlertRows report={report} onOpenRun={onOpenRun} />
            </>
          )}
        </>
      )}
    </>
  );
}
