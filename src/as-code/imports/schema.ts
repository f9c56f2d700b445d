import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { Import } from "./import.ts";
import { importSources } from "./import.ts";
import { resourceTypes } from "./reading.ts";

export const ImportParams = Type.Object({ id: Described(Guid, "The import's id.") });

export const PreviewQuery = Type.Object({
  source: Described(OneOf(importSources), "The tool that the file comes from."),
  fileName: Type.String({
    description: "Name of the file, to recognise the import.",
    examples: ["kuma.db"],
    maxLength: 255,
    default: "file",
  }),
  name: Type.Optional(
    Type.String({
      description:
        "Name of the installation, if several of one tool are imported: they do not change each " +
        "other's objects. By default the file decides.",
      examples: ["office"],
      maxLength: 100,
    }),
  ),
});

const Origin = Type.String({
  description: "Identifies the object in its source.",
  examples: ["kuma/12"],
});
const ItemName = Type.String({ description: "Its name in the source.", examples: ["Shop"] });
const Why = Type.String({ description: "The reason.", examples: ["The group has no monitors."] });

const ReportSchema = Type.Object(
  {
    imported: Type.Array(
      Type.Object({
        origin: Origin,
        type: Described(OneOf(resourceTypes), "The type of the new object.", "check"),
        name: ItemName,
        as: Type.String({ description: "What it becomes.", examples: ["URL check"] }),
      }),
      { description: "What the import creates or changes." },
    ),
    changed: Type.Array(
      Type.Object({
        origin: Origin,
        name: ItemName,
        field: Type.String({ description: "The setting.", examples: ["interval"] }),
        from: Type.String({ description: "Its value in the source.", examples: ["75 s"] }),
        to: Type.String({ description: "Its value here.", examples: ["1 min"] }),
        why: Why,
      }),
      { description: "Settings that become different." },
    ),
    leftOut: Type.Array(Type.Object({ origin: Origin, name: ItemName, why: Why }), {
      description: "What is not imported.",
    }),
    notes: Type.Array(Type.String(), { description: "Remarks about the file as a whole." }),
  },
  { title: "ImportReport", description: "What the import does. Contains no secrets." },
);

export const RunBody = Type.Object(
  {
    exclude: Type.Array(Type.String({ maxLength: 255 }), {
      description: "Origins of the report that are not imported.",
      examples: [["kuma/12"]],
      maxItems: 20_000,
      default: [],
    }),
    muted: Type.Boolean({
      description: "Whether new checks are muted: they run, but send no alerts.",
      default: false,
    }),
    keepAddresses: Type.Boolean({
      description: "Whether jobs can keep using their old push addresses, with the new host.",
      default: true,
    }),
    withHistory: Type.Boolean({
      description: "Whether the history of new checks becomes statistics.",
      default: true,
    }),
  },
  { title: "ImportRunInput" },
);

const Count = (description: string) => Type.Integer({ description, examples: [3], minimum: 0 });

const OutcomeSchema = Type.Object(
  {
    created: Count("Number of objects created."),
    updated: Count("Number of objects changed."),
    unchanged: Count("Number of objects that were already as in the file."),
    addresses: Count("Number of old push addresses that are now valid."),
    histories: Count("Number of checks with imported history."),
    notes: Type.Array(Type.String(), { description: "What could not be done." }),
  },
  { title: "ImportOutcome", description: "What the run did." },
);

export const ImportSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    source: Described(OneOf(importSources), "The tool that the file comes from."),
    name: Type.String({
      description: "Name of the installation; empty for the first one of a tool.",
      examples: [""],
    }),
    fileName: Type.String({ description: "Name of the file.", examples: ["kuma.db"] }),
    report: ReportSchema,
    addresses: Count("Number of old push addresses in the file."),
    historyChecks: Count("Number of checks with history in the file."),
    historyFrom: Described(OrNull(DateTime), "Start of the history; `null` if there is none."),
    created_at: Described(DateTime, "When the file was read."),
    finished_at: Described(OrNull(DateTime), "When it was last run; `null` if never."),
    outcome: Described(OrNull(OutcomeSchema), "What the run did; `null` if it was not run."),
  },
  { title: "Import" },
);
export const ImportList = Type.Array(ImportSchema);

export function toWireImport({ createdAt, finishedAt, historyFrom, ...rest }: Import) {
  return {
    ...rest,
    historyFrom: historyFrom && formatDateTime(historyFrom),
    created_at: formatDateTime(createdAt),
    finished_at: finishedAt && formatDateTime(finishedAt),
  };
}
