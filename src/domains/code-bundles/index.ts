/**
 * Code that existing clients upload. A *bundle* is a file, stored under a key that contains its
 * SHA-256. Checks run the bundles that they name; others are deleted when newer ones need space.
 * Tables: code_bundles.
 */
export {
  type BundleFacts,
  findBundleContent,
  findBundleFacts,
  holdBundles,
  lockBundles,
  maxAccountBytes,
  maxBundles,
  saveBundle,
  trimBundles,
} from "./store.ts";
