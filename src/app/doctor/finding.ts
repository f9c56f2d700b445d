/** What `vedette doctor` says of one thing. */
export interface Finding {
  readonly area: Area;
  readonly level: Level;
  /** One sentence, for people. */
  readonly sentence: string;
  /** What to type or to set; null where there is nothing to do. */
  readonly fix: string | null;
}

export const areas = ["Machine", "Database", "Checks", "Network", "Backups", "Servers"] as const;
export type Area = (typeof areas)[number];

/** From the worst to the best. */
export const levels = ["fail", "warn", "ok"] as const;
export type Level = (typeof levels)[number];

export interface Diagnosis {
  readonly level: Level;
  /** The worst first. */
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

/** The findings of one area, without naming it each time. */
export function findingsOf(area: Area) {
  return {
    ok: (sentence: string): Finding => ({ area, level: "ok", sentence, fix: null }),
    warn: (sentence: string, fix: string): Finding => ({ area, level: "warn", sentence, fix }),
    fail: (sentence: string, fix: string): Finding => ({ area, level: "fail", sentence, fix }),
  };
}

export interface Look {
  readonly name: string;
  readonly area: Area;
  readonly look: () => Promise<readonly Finding[]>;
}

const patienceMs = 8_000;

async function takeOne({ name, area, look }: Look): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>();
  const { warn } = findingsOf(area);
  const advice = "Run `npm run vedette doctor` again; if it stays so, look at the log.";
  const timer = setTimeout(
    () => late.resolve([warn(`${name}: no answer within ${patienceMs / 1_000} seconds.`, advice)]),
    patienceMs,
  );
  try {
    return await Promise.race([look(), late.promise]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return [warn(`${name}: this could not be looked at (${reason}).`, advice)];
  } finally {
    clearTimeout(timer);
  }
}

/** All at once, each with a time limit: one thing that hangs hides no other. */
export async function takeLooks(looks: readonly Look[]): Promise<Diagnosis> {
  return diagnose((await Promise.all(looks.map(takeOne))).flat());
}

const signs = { ok: "ok  ", warn: "WARN", fail: "FAIL" } as const;

export function writeDiagnosis({ findings }: Diagnosis): string {
  const lines = findings.map(({ area, level, sentence, fix }) => {
    const advice = fix === null ? "" : `\n      ${fix.replaceAll("\n", "\n      ")}`;
    return `${signs[level]}  ${area}: ${sentence}${advice}`;
  });
  const count = (level: Level) => findings.filter((one) => one.level === level).length;
  const totals = `${count("fail")} failed, ${count("warn")} to look at, ${count("ok")} fine`;
  return `${lines.join("\n")}\n\n${totals}`;
}
