/** One result of a diagnostic of `vedette doctor`. */
export interface Finding {
  readonly area: Area;
  readonly level: Level;
  /** What the diagnostic found, in one human-readable sentence. */
  readonly sentence: string;
  /** Command or setting that fixes the problem; `null` if nothing needs to be fixed. */
  readonly fix: string | null;
}

export const areas = [
  "Machine",
  "Database",
  "Checks",
  "On call",
  "Network",
  "Backups",
  "Servers",
] as const;
export type Area = (typeof areas)[number];

/** Severities of findings, from worst to best. */
export const levels = ["fail", "warn", "ok"] as const;
export type Level = (typeof levels)[number];

export interface Diagnosis {
  readonly level: Level;
  /** Findings of all diagnostics, worst first. */
  readonly findings: readonly Finding[];
}

export function diagnose(findings: readonly Finding[]): Diagnosis {
  const sorted = findings.toSorted(
    (one, other) =>
      levels.indexOf(one.level) - levels.indexOf(other.level) ||
      areas.indexOf(one.area) - areas.indexOf(other.area),
  );
  return { level: sorted[0]?.level ?? "ok", findings: sorted };
}

/** Returns functions that create findings of one area, one function for each severity. */
export function findingsOf(area: Area) {
  return {
    ok: (sentence: string): Finding => ({ area, level: "ok", sentence, fix: null }),
    warn: (sentence: string, fix: string): Finding => ({ area, level: "warn", sentence, fix }),
    fail: (sentence: string, fix: string): Finding => ({ area, level: "fail", sentence, fix }),
  };
}

export interface Diagnostic {
  readonly name: string;
  readonly area: Area;
  readonly run: () => Promise<readonly Finding[]>;
}

const timeoutMs = 8_000;

async function runOne({ name, area, run }: Diagnostic): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>();
  const { warn } = findingsOf(area);
  const advice = "Run `npm run vedette doctor` again; if the problem persists, check the log.";
  const timer = setTimeout(
    () => late.resolve([warn(`${name}: no response within ${timeoutMs / 1_000} seconds.`, advice)]),
    timeoutMs,
  );
  try {
    return await Promise.race([run(), late.promise]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return [warn(`${name}: the diagnostic failed (${reason}).`, advice)];
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs all diagnostics concurrently, each with a timeout, so that a diagnostic that hangs does not
 * delay the others.
 */
export async function runDiagnostics(diagnostics: readonly Diagnostic[]): Promise<Diagnosis> {
  return diagnose((await Promise.all(diagnostics.map(runOne))).flat());
}

const signs = { ok: "ok  ", warn: "WARN", fail: "FAIL" } as const;

export function writeDiagnosis({ findings }: Diagnosis): string {
  const lines = findings.map(({ area, level, sentence, fix }) => {
    const advice = fix === null ? "" : `\n      ${fix.replaceAll("\n", "\n      ")}`;
    return `${signs[level]}  ${area}: ${sentence}${advice}`;
  });
  const count = (level: Level) => findings.filter((one) => one.level === level).length;
  const totals = `${count("fail")} failed, ${count("warn")} ${count("warn") === 1 ? "warning" : "warnings"}, ${count("ok")} ok`;
  return `${lines.join("\n")}\n\n${totals}`;
}
