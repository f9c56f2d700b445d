/** The Prometheus text format: families of series, each family contiguous. */

export type ExpositionFormat = "text" | "openmetrics";

export const contentTypes: Readonly<Record<ExpositionFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Prometheus lists its preferred format first. */
export function chooseFormat(accept: string | undefined): ExpositionFormat {
  return /^application\/openmetrics-text\b/i.test(accept?.trim() ?? "") ? "openmetrics" : "text";
}

export interface FamilyDefinition {
  /** The name of a counter ends with `_total`. */
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
}

interface Family extends FamilyDefinition {
  readonly lines: string[];
}

export class Exposition {
  readonly #families = new Map<string, Family>();
  #seriesCount = 0;

  get seriesCount(): number {
    return this.#seriesCount;
  }

  /** `labels` is the result of `writeLabels`. */
  add(definition: FamilyDefinition, labels: string, value: number): void {
    let family = this.#families.get(definition.name);
    if (family === undefined) {
      family = { ...definition, lines: [] };
      this.#families.set(definition.name, family);
    }
    family.lines.push(`${definition.name}${labels === "" ? "" : `{${labels}}`} ${value}`);
    this.#seriesCount += 1;
  }

  write(format: ExpositionFormat): string {
    const texts: string[] = [];
    for (const { name, type, help, lines } of this.#families.values()) {
      const named = format === "openmetrics" && type === "counter" ? name.slice(0, -6) : name;
      texts.push(`# HELP ${named} ${escapeHelp(help)}`, `# TYPE ${named} ${type}`, ...lines);
    }
    if (format === "openmetrics") texts.push("# EOF");
    return `${texts.join("\n")}\n`;
  }
}

export function writeLabels(labels: readonly (readonly [name: string, value: string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",");
}

/** Escapes line breaks as `\n` and removes other control characters. */
function escapeLabel(value: string): string {
  return value
    .toWellFormed()
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replace(/\p{Cc}/gu, " ");
}

function escapeHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
