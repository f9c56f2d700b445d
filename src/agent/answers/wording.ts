/** Formats times and durations for answers, and re-exports the formatters of other values. */
export { quote } from "../../platform/text/clip.ts";
export * from "../../platform/text/figures.ts";

export function formatTime(at: string | number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Formats a duration with its two largest units, as in "2 h 5 min". */
export function writeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** Formats an interval for use after "every", such as "minute", "5 min" or "30 s". */
export function writeInterval(seconds: number): string {
  const names: Readonly<Record<number, string>> = { 60: "minute", 3600: "hour", 86400: "day" };
  return names[seconds] ?? writeDuration(seconds * 1_000);
}

/** Puts a separator before a clause. Returns an empty string if the clause is empty. */
export function addClause(clause: string, before = ", "): string {
  return clause === "" ? "" : `${before}${clause}`;
}
