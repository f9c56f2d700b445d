/** Shows the steps and logs of a script while it is running. */
import type { TrialStep } from "../../api/try-check.ts";
import { listWithKeys } from "../../parts/keys.ts";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { LogRow, StepRow } from "./script-run-view.tsx";
import styles from "./scripts.module.css";
import { words } from "./words.ts";

const toText = (value: unknown) => (typeof value === "string" ? value : null);

function toStep(step: TrialStep) {
  return {
    title: toText(step.title) ?? "",
    depth: Number(step.depth ?? 0),
    startMs: 0,
    durationMs: Number(step.durationMs ?? 0),
    error: toText(step.error),
  };
}

function toLog({ level, text }: TrialStep) {
  return { time: null, level: toText(level) ?? "info", text: toText(text) ?? "" };
}

const isShown = ({ category, error }: TrialStep) =>
  (category !== "hook" && category !== "fixture") || (error ?? null) !== null;

export function LiveScript({ steps }: { readonly steps: readonly TrialStep[] }) {
  const done = steps.filter((one) => one.step === "step" && isShown(one));
  const logs = steps.filter(({ step }) => step === "log");
  return (
    <>
      {done.length > 0 && (
        <Stack as="ol" gap={1} aria-label={words.steps}>
          {listWithKeys(done.map(toStep), ({ title }) => title).map(({ key, item }) => (
            <StepRow key={key} step={item} totalMs={null} />
          ))}
        </Stack>
      )}
      {logs.length > 0 && (
        <ol
          className={`${styles.logs} ${textStyles.mono} ${textStyles.small}`}
          aria-label={words.logs}
        >
          {listWithKeys(logs.map(toLog), ({ text }) => text).map(({ key, item }) => (
            <LogRow key={key} {...item} />
          ))}
        </ol>
      )}
    </>
  );
}
