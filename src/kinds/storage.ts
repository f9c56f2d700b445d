import type { Run } from "./definition.ts";
import type {
  CounterDefinition,
  Figures,
  FigureVisitor,
  PartDefinition,
  SampleDefinition,
} from "./figures.ts";

/** Defines how a run is stored, and which of its numbers statistics aggregate. */
export interface KindStorage<Request = unknown, Measurement = unknown> {
  /** Numbers that statistics sum over runs. By default none. */
  readonly counters?: readonly CounterDefinition[];
  /** Numbers with one value per run. By default none. */
  readonly parts?: readonly PartDefinition[];
  /** Describes the samples of runs. By default, a run has one sample: its response time. */
  readonly samples?: SampleDefinition;
  figures(measurement: Measurement): Figures;
  /** Encodes request and measurement compactly. The error of a run is stored separately. */
  encode(run: Run<Request, Measurement>): Buffer;
  decode(
    detail: Buffer,
    rest: { readonly startedAtMs: number; readonly trouble: object | null },
  ): Run<Request, Measurement>;
  /**
   * Number of leading bytes of a detail that contain all counters and parts. Samples may follow.
   */
  readonly figureBytes: number;
  /**
   * Reads the figures between two offsets. The detail may be truncated after `figureBytes` bytes.
   */
  readFigures(bytes: DataView, from: number, to: number, visitor: FigureVisitor): void;
}
