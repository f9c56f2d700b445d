/**
 * Code that existing clients upload. A *bundle* is a file, stored under a key that contains its
 * SHA-256. A check runs the bundle whose key is in its settings. Bundles that no check uses are
 * deleted when newer bundles need space. Tables: code_bundles.
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
