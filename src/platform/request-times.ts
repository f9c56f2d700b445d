const name = "vedette_http_request_duration_seconds";
const bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Maximum number of series; further ones share one. */
const maxSeries = 200;

/** One series of the histogram: a route, a method, a status. */
class Series {
  readonly labels: string;
  readonly counts = new Float64Array(bounds.length);
  count = 0;
  sumSeconds = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    this.count += 1;
    this.sumSeconds += seconds;
    let index = 0;
    while (seconds > (bounds[index] ?? seconds)) index += 1;
    if (index < bounds.length) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  *lines(): Generator<string> {
    let below = 0;
    for (const [index, bound] of bounds.entries()) {
      below += this.counts[index] ?? 0;
      yield `${name}_bucket{le="${bound}",${this.labels}} ${below}`;
    }
    yield `${name}_bucket{le="+Inf",${this.labels}} ${this.count}`;
    yield `${name}_sum{${this.labels}} ${this.sumSeconds}`;
    yield `${name}_count{${this.labels}} ${this.count}`;
  }
}

export type ObserveRequest = (statusCode: number, elapsedMs: number) => void;

/**
 * Histogram of request durations. The library's own hashes its labels on every request, which was
 * visible in profiles; here each route has its series.
 */
export class RequestTimes {
  readonly #series: Series[] = [];
  readonly #rest = new Series('method="other",route="other",status="other"');

  forRoute(method: string, route: string): ObserveRequest {
    const byStatus = new Map<number, Series>();
    return (statusCode, elapsedMs) => {
      const known = byStatus.get(statusCode) ?? this.#add({ byStatus, method, route, statusCode });
      known.observe(elapsedMs / 1_000);
    };
  }

  /** Returns the Prometheus text format. */
  write(): string {
    const help = `# HELP ${name} Time from the first byte of a request to the end of its response.`;
    const shown = this.#rest.count === 0 ? this.#series : [...this.#series, this.#rest];
    const lines = shown.flatMap((series) => [...series.lines()]);
    return [help, `# TYPE ${name} histogram`, ...lines, ""].join("\n");
  }

  #add(one: {
    readonly byStatus: Map<number, Series>;
    readonly method: string;
    readonly route: string;
    readonly statusCode: number;
  }): Series {
    const { byStatus, method, route, statusCode } = one;
    const series =
      this.#series.length < maxSeries
        ? new Series(`method="${method}",route="${route}",status="${statusCode}"`)
        : this.#rest;
    byStatus.set(statusCode, series);
    if (series !== this.#rest) this.#series.push(series);
    return series;
  }
}
