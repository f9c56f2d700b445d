/**
 * Files of runs. An *asset* is a file that a run leaves behind besides its result: a screenshot, a
 * trace, a video. The *keeper* stores them in a folder of the server or in an S3 bucket, with a
 * quota for each account, and deletes them with their check, their account or by age.
 * Tables: run_assets, asset_removals, lost_assets.
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
