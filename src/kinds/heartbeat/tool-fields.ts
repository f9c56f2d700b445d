import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { buildDocument } from "./document.ts";
import type { HeartbeatMeasurement } from "./measurement.ts";
import type { HeartbeatRequest, HeartbeatSettings } from "./request.ts";
import { describeSchedule } from "./schedule.ts";

const text = (description: string) => OrNull(Type.String({ description }));
/** Enough for a person to recognise the output without filling a model's context. */
const maxShownLength = 500;

export const tools: KindTools<HeartbeatSettings, HeartbeatRequest, HeartbeatMeasurement> = {
  checkFields: { schedule: Type.String({ description: "when pings are expected" }) },
  describeCheck: ({ heartbeat }) => ({ schedule: describeSchedule(heartbeat) }),
  resultFields: {
    pingState: text("EARLY, RECEIVED, GRACE, LATE or FAILING"),
    jobDurationMs: OrNull(Type.Number({ description: "from the start of the job to its end" })),
  },
  describeResult: (measurement) => ({
    pingState: measurement?.state ?? null,
    jobDurationMs: roundFigure(measurement?.durationMs ?? null),
  }),
  runFields: {
    schedule: Type.String({ description: "when pings were expected" }),
    expectedAt: text("when a ping was expected"),
    lastPingAt: text("time of the previous ping"),
    exitCode: OrNull(Type.Integer({ description: "the exit code that the job reported" })),
    source: text("the source address of the ping"),
    output: Type.String({ description: "the beginning of what the job sent with its ping" }),
  },
  describeRun: (run) => {
    const { schedule, expectedAt, lastPingAt, exitCode, source, body } = buildDocument(run);
    const output = clipText(body ?? "", maxShownLength);
    return { schedule, expectedAt, lastPingAt, exitCode, source, output };
  },
  reasonFields: {
    exitCode: Type.Optional(OrNull(Type.Integer())),
    expectedAt: Type.Optional(Type.String()),
    silentMs: Type.Optional(OrNull(Type.Number())),
  },
  figureFields: {},
  describeFigures: () => ({}),
  hints: {
    run: "with the source, expected time and body of a ping",
    figures: "job duration",
    samples: "durations of jobs",
    creation: "",
  },
};
