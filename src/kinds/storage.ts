import type { Run } from "./definition.ts";
import type {
  CounterDefinition,
  Figures,
  FigureVisitor,
  PartDefinition,
  SampleDefinition,
} from "./figures.ts";

/** How a run is stored, and which of its numbers statistics aggregate. */
export interface KindStorage<Request = unknown, Measurement = unknown> {
  /** By default none. */
  readonly counters?: readonly CounterDefinition[];
  /** By default none. */
  readonly parts?: readonly PartDefinition[];
  /** By default the response time. */
  readonly samples?: SampleDefinition;
  figures(measurement: Measurement): Figures;
  /** Encodes the request and the measurement compactly. Errors are stored separately. */
  encode(run: Run<Request, Measurement>): Buffer;
  decode(
    detail: Buffer,
    rest: { readonly startedAtMs: number; readonly trouble: object | null },
  ): Run<Request, Measurement>;
  /** Number of leading bytes of a detail that contain all counters and parts; samples follow. */
  readonly figureBytes: number;
  /** Reads the detail between two offsets. It may be truncated after `figureBytes`. */
  readFigures(bytes: DataView, from: number, to: number, visitor: FigureVisitor): void;
}
