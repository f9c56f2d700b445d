/**
 * Files of runs. An *asset* is a file that a run creates in addition to its result, such as a
 * screenshot, a trace or a video. The *keeper* stores files in a folder of the server or in an S3
 * bucket, within a quota per account. Files are deleted with their check or account, at a maximum
 * age, or when newer files need the quota. Tables: run_assets, asset_removals, lost_assets.
 */
export { AssetLinks, answerFile } from "./file-answer.ts";
export { AssetKeeper, createAssetMetrics } from "./keeper.ts";
export {
  AssetManifest,
  type AssetsContext,
  AssetsQuery,
  loadManifest,
} from "./manifest.ts";
export { BucketPlace, FolderPlace } from "./places.ts";
export { addAssetRoutes } from "./routes.ts";
