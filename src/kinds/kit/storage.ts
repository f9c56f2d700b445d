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
  /**
   * Numbers of which a run has at most one value each. Statistics provide their averages and
   * percentiles. By default none.
   */
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
   * Number of bytes at the start of an encoded run that contain the values of all counters and
   * parts. Samples may be stored after these bytes.
   */
  readonly figureBytes: number;
  /**
   * Reads the counters, parts and samples of the encoded run between two offsets. Statistics may
   * load only the first `figureBytes` bytes of a run, so the rest may be missing.
   */
  readFigures(bytes: DataView, from: number, to: number, visitor: FigureVisitor): void;
}
