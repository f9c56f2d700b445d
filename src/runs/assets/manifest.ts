import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { assetTypes } from "../../contract/run-asset.ts";
import type { Clock } from "../../platform/clock.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { FilesContext } from "./file-answer.ts";
import { listLosses, listRunAssets, type StoredAsset } from "./store.ts";

export interface AssetsContext extends FilesContext {
  readonly clock: Clock;
  readonly publicUrl: () => string;
  /** Returns the origin of the trace viewer; `null` if no viewer is available. */
  readonly viewerUrl: () => string | null;
}

/** File types in the API; this server creates only five of these types. */
const types = ["log", "trace", "video", "screenshot", "pcap", "report", "file"] as const;
const lossReasons = ["expired", "quota"] as const;
const exampleUrl = "https://vedette.example.org/v1/assets/…/shot.png?expires=…&signature=…";

export const AssetsQuery = Type.Object({
  type: Type.Optional(
    Type.Array(OneOf(types), { description: "Only files of these types.", maxItems: 10 }),
  ),
  name: Type.Optional(Type.String({ description: "Only files of this name.", maxLength: 200 })),
});

const Source = Type.Object(
  {
    type: Described(
      OneOf(["check-result", "test-session-result"]),
      "Whether the run is a result of a check or of a test session.",
    ),
    checkId: Type.Optional(Described(Guid, "The check's id.")),
    checkName: Type.Optional(Type.String({ description: "The check's name." })),
    checkType: Type.Optional(Type.String({ description: "The kind of check." })),
    resultId: Described(Guid, "The result's id."),
    testSessionId: Type.Optional(Described(Guid, "The test session's id.")),
  },
  { description: "The run that made the file." },
);

const Asset = Type.Object({
  id: Described(Guid, "Id of the file."),
  type: Described(OneOf(assetTypes), "What it is."),
  name: Type.String({ description: "Its name.", examples: ["shot.png"] }),
  url: Type.String({
    description: "Download it here, without a key, for about an hour. Supports byte ranges.",
    examples: [exampleUrl],
  }),
  viewerUrl: Described(
    OrNull(Type.String()),
    "For a trace: opens it in the trace viewer. `null` for other files, or without a viewer.",
    null,
  ),
  contentType: Type.String({ description: "Its media type.", examples: ["image/png"] }),
  size: Type.Integer({ description: "Its size in bytes.", minimum: 0, examples: [48_213] }),
  createdAt: Described(DateTime, "When it was stored."),
  source: Source,
});

export const AssetManifest = Type.Object(
  {
    assets: Type.Array(Asset, { description: "The files of the run." }),
    lost: Type.Array(
      Type.Object({
        reason: Described(
          OneOf(lossReasons),
          "`expired`: older than the retention period. `quota`: deleted to store newer files.",
        ),
        count: Type.Integer({ description: "Number of files.", minimum: 0, examples: [2] }),
      }),
      { description: "Files that were deleted before the result.", examples: [[]] },
    ),
    truncated: Type.Boolean({ description: "Always false: a run has at most 50 files." }),
    entriesReturned: Type.Integer({ description: "Number of files returned.", minimum: 0 }),
    entriesTotal: Type.Integer({ description: "Number of files of the run.", minimum: 0 }),
  },
  { title: "AssetManifest" },
);

interface ManifestRequest {
  readonly runId: string;
  /** Check of the run; `null` for a test run, which may have no check. */
  readonly checkId: string | null;
  readonly query: Type.Static<typeof AssetsQuery>;
  readonly source: Type.Static<typeof Source>;
}

function writeViewerUrl({ viewerUrl }: AssetsContext, { type }: StoredAsset, path: string) {
  const origin = type === "trace" ? viewerUrl() : null;
  if (origin === null) return null;
  return `${origin}/viewer/index.html?trace=${encodeURIComponent(origin + path)}`;
}

/** Lists the files of a run with links. The caller must be allowed to read the run. */
export async function loadManifest(
  context: AssetsContext,
  { accountId }: Pick<Caller, "accountId">,
  { runId, checkId, query, source }: ManifestRequest,
) {
  const { db, links, publicUrl } = context;
  const all = await listRunAssets(db, accountId, { runId, checkId });
  const lost = await listLosses(db, accountId, runId);
  const shown = all.filter(
    ({ type, name }) =>
      (query.type?.includes(type) ?? true) && (query.name === undefined || query.name === name),
  );
  const assets = shown.map((asset) => {
    const { id, type, name, contentType, byteCount, createdAt } = asset;
    const path = links.write(asset);
    return {
      ...{ id, type, name, contentType, source, size: byteCount },
      url: publicUrl() + path,
      viewerUrl: writeViewerUrl(context, asset, path),
      createdAt: formatDateTime(createdAt),
    };
  });
  return {
    assets,
    lost: lost.map(({ reason, fileCount }) => ({ reason, count: fileCount })),
    truncated: false,
    entriesReturned: assets.length,
    entriesTotal: all.length,
  };
}
